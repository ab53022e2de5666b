"""A caption typed now, against the images of a gallery."""

"""Photos, captions and annotations in, one columnar gallery out."""

"""One folder a page; none imports another."""

"""The Import page."""

"""The Overview page, part by part."""

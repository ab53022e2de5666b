"""The Explore page, part by part."""

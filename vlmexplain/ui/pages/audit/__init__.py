"""The Audit page."""

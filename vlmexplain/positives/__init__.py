"""Positives beyond the caption's own image: where they come from, and what they change."""

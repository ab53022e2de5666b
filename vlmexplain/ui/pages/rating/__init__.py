"""The rater's page."""

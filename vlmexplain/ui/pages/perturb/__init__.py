"""The Perturb page."""

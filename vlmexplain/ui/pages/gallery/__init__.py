"""The Gallery page, part by part."""

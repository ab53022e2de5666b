"""One keyed store for every kind of result: listed, opened, damaged and removed in one way."""

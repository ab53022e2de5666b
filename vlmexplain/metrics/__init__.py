"""The concept metrics: one file each; every result is a value with its evidence."""

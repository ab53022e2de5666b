"""Runs on a Ray cluster: same keys and numbers as on one machine; see docs/cluster.md."""

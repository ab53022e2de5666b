"""One failure, or a list of them, as one file that opens anywhere: HTML for people, JSON else."""

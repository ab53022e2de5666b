"""WordNet 3.0: the only part that opens it. Names to synsets, synsets to distances."""

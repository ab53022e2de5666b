"""Embeddings, exact rankings and the runs made of them."""

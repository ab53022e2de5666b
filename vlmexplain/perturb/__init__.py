"""Perturbations of a caption, as data: which rule, which edits, what is expected of them."""

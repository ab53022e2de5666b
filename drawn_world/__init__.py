"""The drawn demo world: scenes with exact annotations, captions, and the training of its small
CLIP."""

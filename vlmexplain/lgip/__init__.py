"""Language-guided invariance probing: what paraphrases and flips do to a model's similarities."""

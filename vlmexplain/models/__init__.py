"""Models that turn texts and images into embeddings; `vlmexplain.models.load` hands them out."""

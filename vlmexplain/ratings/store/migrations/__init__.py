"""Schema versions of the rating store; run by `vlmexplain.ratings.store.migrate`."""

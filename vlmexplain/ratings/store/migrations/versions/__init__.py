"""One file a schema version, never changed once released."""

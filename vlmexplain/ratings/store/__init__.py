"""The database of rating sessions."""

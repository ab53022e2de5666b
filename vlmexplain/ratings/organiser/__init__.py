"""What organisers do: sessions and their state."""

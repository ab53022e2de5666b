"""What the answers add up to: pure functions over long-format rows."""

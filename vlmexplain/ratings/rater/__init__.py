"""What raters do: join, answer, go on."""

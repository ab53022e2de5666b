"""What a rating session is: questions, items, classes, answers as values."""

"""Who may open what: codes, attempts, the organiser."""

"""The pages of the organiser: sessions, their progress, and what the raters said."""

"""Human rating sessions: questions, durable answers, and what the answers add up to.

`store.open_store()` opens the database; the functions that take the store as their first argument
are the interface of the pages and of the command line (see ``docs/ratings.md``):

- organiser: `sessions`, `export_rows`, `importing`, `backup`, `organiser.secret_is_right`
- rater: `joining`, `assignment`, `answers`, `progress`, `results`; none of them gives away
  another rater's answers, and results only once they are revealed
- analysis: `analysis.analyse.analyse`, pure, over the rows of an export
"""

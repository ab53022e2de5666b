"""The forms of data that `vlmexplain import PATH` recognises, each declared once in `table`."""

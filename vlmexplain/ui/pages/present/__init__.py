"""Handing failures over: the control on the Explore page, and the presentation."""

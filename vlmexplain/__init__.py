"""Why did the model retrieve the wrong image? Explainable retrieval failures, with evidence."""

__version__ = "0.1.0"

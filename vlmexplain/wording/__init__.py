"""Numbers, names and markup as a reader sees them, on a page or in a file; without Streamlit."""

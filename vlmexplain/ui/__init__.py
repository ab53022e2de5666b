"""The app: the only part of the program that imports streamlit."""

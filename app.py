"""The app: ``streamlit run app.py``."""

from vlmexplain.ui.shell import run_app

run_app()

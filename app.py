"""The app: ``streamlit run app.py``.

Streamlit imports this file once for the server around the pages, and runs it as a script for each
page it draws.
"""

import streamlit as st

if __name__ == "__main__":
    from vlmexplain.ui.shell import run_app

    run_app()
else:
    from vlmexplain.ui import web

    app = st.App(
        __file__,
        lifespan=web.lifespan,
        routes=web.ROUTES,
        on_script_error=web.on_script_error,
    )

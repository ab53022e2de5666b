"""An app with the real server around it whose pages and jobs take their time (for the tests).

``?do=job`` embeds the gallery of the home with a model that needs a while for each batch;
``?do=write`` takes two seconds over a file; ``?do=stuck`` never looks up; ``?do=fail`` fails.
"""

import os
import time
from pathlib import Path

import streamlit as st

if __name__ != "__main__":
    from vlmexplain.ui import web as server

    app = st.App(
        __file__,
        lifespan=server.lifespan,
        routes=server.ROUTES,
        on_script_error=server.on_script_error,
    )
else:
    from vlmexplain.datasets.gallery import list_galleries, open_gallery
    from vlmexplain.errors import StoreError
    from vlmexplain.models.fake import FakeEncoder
    from vlmexplain.scoring import shards
    from vlmexplain.scoring.embedding import embed_gallery
    from vlmexplain.storage import write_file
    from vlmexplain.ui.server.jobs import job_registry
    from vlmexplain.ui.server.timing import drawing
    from vlmexplain.ui.shared.messages import told

    NOTES = Path(os.environ["SLOW_APP_NOTES"])

    class SlowEncoder(FakeEncoder):
        """Notes how many texts it embeds, and takes a while for them."""

        def encode_texts(self, texts):
            with NOTES.open("a") as notes:
                notes.write(f"{len(texts)}\n")
            time.sleep(0.3)
            return super().encode_texts(texts)

    def embed(progress):
        from vlmexplain.scoring import embedding

        shards.SHARD_ROWS["texts"] = 2
        embedding.TEXT_BATCH = 2
        return embed_gallery(open_gallery(list_galleries()[0].id), SlowEncoder(), progress)

    def stuck(progress):
        time.sleep(3600)

    do = st.query_params.get("do", "")
    with drawing("Slow"):
        if do == "job":
            job_registry().start("embed", "Embedding", "key", embed)
        elif do == "stuck":
            job_registry().start("stuck", "Stuck", "key", stuck)
        elif do == "write":
            NOTES.with_suffix(".started").touch()
            time.sleep(2)
            write_file(NOTES.with_suffix(".written"), b"whole")
        elif do == "fail":
            raise KeyError("a caption that nobody may read in a log")
        elif do == "told":
            with told():
                raise StoreError("the rater Ada Lovelace is in the way.", remedy="Go round her.")
        st.html("<p>drawn</p>")

"""What frames the worked example: where a reader is, and how to bring in data of their own."""

from __future__ import annotations

import streamlit as st

from vlmexplain.ui.shared.html import tag


def draw_tour_start() -> None:
    """What this page answers, in three sentences."""
    st.html(
        tag(
            "div",
            tag("h1", "Why did the model retrieve the wrong image?"),
            tag(
                "p",
                "A caption was the query. The model ranked all images, and the first was not the "
                "one the caption belongs to. Below, both images with what is annotated in them, "
                "and four metrics that say how the retrieved image differs, each with the "
                "evidence it is made of.",
                style="max-width:70ch; margin-top:6px",
            ),
            tag(
                "p",
                tag("span", "worked example", class_="pill drawn"),
                " From the paper that defines the metrics. It needs no data: the pictures are "
                "drawn from the boxes.",
                class_="quiet",
            ),
            class_="vx",
        )
    )


def draw_tour_end() -> None:
    """The way to data of one's own."""
    with st.container(border=True):
        st.html(
            tag(
                "div",
                tag("h3", "Your own data"),
                tag(
                    "p",
                    "Import COCO or Visual Genome from a folder of this machine, let a model rank "
                    "its captions, and every failure is explained here as the zebras are.",
                    style="margin:4px 0 0",
                ),
                class_="vx",
            )
        )
        with st.container(horizontal=True):
            if st.button("Import COCO or Visual Genome", type="primary", key="to-import"):
                st.switch_page("pages/import.py")
            if st.button("Run a model", key="to-run"):
                st.switch_page("pages/run.py")

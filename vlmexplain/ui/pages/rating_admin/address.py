"""What the addresses say about the organiser's two pages: sessions, and their analysis."""

from __future__ import annotations

from dataclasses import dataclass

from vlmexplain.ui.shared.address import Codec, ListAddress, flag, one_of, part, text

VIEWS = ("answers", "agreement", "classes", "metrics", "alternatives")


@dataclass(frozen=True, slots=True)
class SessionsAddress(ListAddress):
    """The state of the page of sessions.

    Attributes:
        session: id of the session that is shown, or "" for the list.
        new: whether the form of a new session is shown.
    """

    session: str = part("", text())
    new: bool = part(False, flag)


@dataclass(frozen=True, slots=True)
class AnalysisAddress(ListAddress):
    """The state of the analysis page.

    Attributes:
        session: id of the session, or what stands for a file; "" for the latest.
        view: which of the views.
    """

    session: str = part("", text())
    view: str = part("answers", one_of(*VIEWS))


SESSIONS = Codec(SessionsAddress, "ratings")
ANALYSIS = Codec(AnalysisAddress, "rating-analysis")

"""English words of the closed classes: in a caption they are no nouns, whatever WordNet has.

WordNet lists nouns such as *a* (vitamin A), *in* (inch), *he* (helium), *us* (United States).
"""

from __future__ import annotations

ARTICLES = frozenset(["a", "an", "the"])

_PRONOUNS = """i me my mine myself we us our ours ourselves you your yours yourself yourselves
he him his himself she her hers herself it its itself they them their theirs themselves
this that these those who whom whose which what whatever whoever
someone somebody something anyone anybody anything everyone everybody everything
nobody nothing none oneself"""
_QUANTIFIERS = """all any both each either every few less least many more most much neither no other
others another own same several some such enough"""
_NUMERALS = """zero one ones two three four five six seven eight nine ten eleven twelve thirteen
fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy
eighty ninety hundred thousand million billion first second third"""
_PREPOSITIONS = """about above across after against along alongside amid among amongst around as at
atop before behind below beneath beside besides between beyond by despite down during except for
from in inside into like near next of off on onto opposite out outside over past per round since
than through throughout till to toward towards under underneath unlike until up upon via versus vs
with within without"""
_CONJUNCTIONS = "and but or nor so yet if because although though unless whether while whereas"
COPULAS = frozenset(["am", "is", "are", "was", "were", "be", "been", "being"])
_AUXILIARIES = """can could may might must shall should will would do does did doing done have has
had having ought cannot"""
DEGREE_WORDS = frozenset(["very", "too", "so", "quite", "rather", "really", "extremely"])
_ADVERBS = """not only also even just almost again away here there now then ever never always often
when where why how else once twice together still already perhaps maybe"""

CLOSED_CLASS = frozenset(
    " ".join(
        [_PRONOUNS, _QUANTIFIERS, _NUMERALS, _PREPOSITIONS, _CONJUNCTIONS, _AUXILIARIES, _ADVERBS]
    ).split()
).union(ARTICLES, COPULAS, DEGREE_WORDS)
"""All of them, lower case."""

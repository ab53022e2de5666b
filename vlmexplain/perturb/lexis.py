"""Word lists by which the careful rules tell what a word does in a caption.

There is no tagger: a rule acts only where the words beside the one it means to change leave
no doubt, and these lists, made from the captions of COCO, say which words those are.
"""

from __future__ import annotations

from vlmexplain.concepts.closed_class import CLOSED_CLASS


def word_set(*texts: str) -> frozenset[str]:
    """The words of the texts, as a set."""
    return frozenset(" ".join(texts).split())


NEGATIVES = word_set("no not without never nor neither none or either like unlike except")
"""Within reach of these, another word need not make the caption false."""

PARTICIPLES = word_set(
    """standing sitting walking laying lying eating playing wearing sleeping flying looking
    running drinking pulling resting jumping staring holding swimming hanging facing leaning
    watching riding carrying peeking relaxing traveling travelling driving moving going passing
    coming waiting floating parked stopped tied docked taking being having trying getting
    reaching posing smiling enjoying grazing perched sniffing licking climbing curled dressed
    seated gathered covered surrounded sticking crouched asleep loaded filled chained moored
    approaching leaving speeding attached painted stuck using doing making talking crossing
    skiing skateboarding surfing snowboarding cutting cooking working hitting swinging leaping
    chasing wading roaming tossing kneeling racing sailing brushing bending putting feeding
    pushing kicking throwing catching""",
)
"""-ing and -ed forms that follow the noun they belong to."""

FINITE_SINGULAR = word_set(
    """is was has does sits stands walks lays lies looks stares eats drinks runs flies grazes
    rests sleeps watches holds drives travels passes moves goes pulls rides takes makes wears
    plays poses jumps waits leans carries hangs reaches smiles throws hits crosses comes gets
    performs prepares catches swings seems appears peeks sniffs licks swims perches floats
    tries uses extends feeds enjoys contains features shows says reads includes displays
    approaches leads gives puts sticks works talks cuts serves relaxes races pushes kicks
    turns follows chases leaps stretches faces""",
)
"""Verbs for a single he, she or it."""

FINITE_PLURAL = word_set(
    """are were have do sit stand walk lay lie look stare eat drink run fly graze rest sleep
    watch hold drive travel pass move go pull ride take make wear play pose jump wait lean
    carry hang reach smile throw cross come get gather enjoy swim perch float use share""",
)
"""Verbs for more than one."""

_LINKS = word_set(
    """in on at with near next behind inside outside through by under over across along around
    beside between from into down up during above among amongst against off onto out past
    toward towards underneath atop amid beneath below alongside within after before for and
    while as that which who where but can will""",
)
AFTER_NOUN = _LINKS | PARTICIPLES | FINITE_SINGULAR | FINITE_PLURAL | {""}
"""What follows a noun that stands alone; the empty string is an end or a mark."""

ARTICLE_LIKE = word_set(
    """a an the some this these those his her their its my our your each every all both several
    many few various multiple numerous any single lone""",
)
NUMBER_WORDS = word_set(
    "one two three four five six seven eight nine ten eleven twelve 2 3 4 5 6 7 8 9 10 11 12"
)
_BEFORE_LINKS = word_set(
    """of on in with near by at from for behind beside between under over around along above
    across past into through inside and while where but as are is has have there riding holding
    petting feeding watching walking up down""",
)
COLOUR_WORDS = word_set(
    "red blue green yellow black white brown gray grey orange pink purple tan beige silver",
)
_PLAIN_ADJECTIVES = word_set(
    """big large small little tiny huge giant enormous tall short long old young older younger
    elderly new cute beautiful pretty happy sad sleepy tired angry dirty clean wet dry colorful
    colourful wooden metal plastic shiny rusty rusted antique vintage modern empty crowded
    striped spotted furry fluffy fuzzy hairy adult baby mother wild stuffed toy ceramic smaller
    larger parked moving fat thin skinny dark bright adorable nice painted decorated curious
    lonely solitary sleeping lazy homeless smiling""",
)
BEFORE_NOUN = ARTICLE_LIKE | NUMBER_WORDS | _BEFORE_LINKS | COLOUR_WORDS | _PLAIN_ADJECTIVES | {""}
"""What stands before a noun that is not the second half of a compound."""

MODIFIERS = (
    COLOUR_WORDS
    | _PLAIN_ADJECTIVES
    | word_set(
        """different stuffed teddy baseball tennis soccer hot traffic stop street polar cell
    wine empty separate similar identical beautiful metal glass plastic paper male female adult
    asian military police construction business snow parking surf ski computer desktop laptop
    remote flat very tall sized matching multicolored round square half-eaten sliced cooked
    grilled fresh ripe whole open closed lit framed""",
    )
)
"""What may stand between a number and the noun it counts."""

PERSONS = word_set(
    """man men woman women person people persons boy boys girl girls guy guys male males female
    females lady ladies couple couples child children kid kids family families baby babies
    player players toddler toddlers gentleman gentlemen""",
)

FUNCTION = CLOSED_CLASS
"""Words of the closed classes."""

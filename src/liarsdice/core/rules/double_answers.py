"""How a challenge for twice the stake (pi) is answered before the dice are shown: accepted, redoubled or folded."""

from __future__ import annotations

from liarsdice.core.rules.choice import Choice


class Answer(Choice):
    """An answer to a challenge for twice the stake.

    `ACCEPT`: the dice are shown. `REDOUBLE` (counter-pi): the stake is doubled again. `FOLD`: whoever folds loses the
    stake before the latest doubling, and nobody shows any dice.
    """

    ACCEPT = "accept"
    REDOUBLE = "redouble"
    FOLD = "fold"


class DoubleAnswers(Choice):
    """Which answers there are, besides accepting.

    `REDOUBLE`: the bidder may redouble, and the dice are shown then. `REDOUBLE_OR_FOLD`: the bidder may also fold, and
    so may a challenger whose challenge was redoubled.
    """

    REDOUBLE = "redouble"
    REDOUBLE_OR_FOLD = "redouble_or_fold"


def possible_answers(rule: object, *, redoubled: bool) -> tuple[Answer, ...]:
    """Return the answers to a challenge for twice the stake, or to its redoubling.

    `rule`: `challenge.answers` of the rules; nobody answers anything unless it is a `DoubleAnswers`.

    >>> possible_answers(DoubleAnswers.REDOUBLE, redoubled=False)
    (Answer.ACCEPT, Answer.REDOUBLE)
    """
    if not isinstance(rule, DoubleAnswers):
        return ()
    match rule:
        case DoubleAnswers.REDOUBLE:
            return () if redoubled else (Answer.ACCEPT, Answer.REDOUBLE)
        case DoubleAnswers.REDOUBLE_OR_FOLD:
            return (Answer.ACCEPT, Answer.FOLD) if redoubled else tuple(Answer)

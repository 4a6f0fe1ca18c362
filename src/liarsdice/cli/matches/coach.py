"""The text and the JSON that `liarsdice coach` prints: the dearest habit first, with what may be said of each."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

import msgspec

from liarsdice.analysis.habit_observations import observe_match
from liarsdice.analysis.habits import (
    BANDS,
    MANY_DICE,
    MIN_DECISIONS,
    Habit,
    HabitKind,
    HabitReport,
    HabitVerdict,
    Observation,
    Tip,
    report_habits,
)
from liarsdice.analysis.luck import MIN_MATCHES, Skill, gain_without_luck, match_account
from liarsdice.analysis.review.results import DecisionReview
from liarsdice.bots.neural.champion import CHAMPION_NAME
from liarsdice.cli.arguments import CoachOptions, find_seat, read_record_file
from liarsdice.cli.matches.review import decision_lines
from liarsdice.cli.stdio import print_error
from liarsdice.core.bids.odds import percent
from liarsdice.core.engine.state import Phase
from liarsdice.core.errors import MalformedError, UnavailableError, counted
from liarsdice.core.records.record import Record
from liarsdice.core.rules.choices import StarterMethod
from liarsdice.core.rules.parts import Labels
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.text.narration import Narrator, dice_words, fill_text
from liarsdice.core.text.rulebook.build import find_language

DEAREST = 3
"""How many of the dearest decisions are listed."""
TUTORIAL_DICE = 3
"""The dice of each player in the matches with hints of the page."""
ENGLISH = find_language("en")


def run(options: CoachOptions) -> int:
    """Review the matches and print the habits of the player. Returns 0.

    Raises `UnavailableError` if no finished match has that player, and as `read_record_file` and `review_decisions`.
    """
    records = list(_records_of(options))
    if not records:
        raise UnavailableError(
            f"no finished match of {options.seat!r:.60} is in these files (name a player with --seat)"
        )
    costs: list[tuple[int, float]] = []
    observations: list[Observation] = []
    gains: list[float] = []
    dearest: list[tuple[int, DecisionReview]] = []
    for match, (record, seat) in enumerate(records):
        if sys.stderr.isatty():
            print(f"\rmatch {match + 1} of {len(records)}", end="", file=sys.stderr, flush=True)
        gains.append(gain_without_luck(match_account(record.events), seat))
        for review, seen in observe_match(record, seat, match, deals=options.deals):
            costs.append((match, review.cost))
            observations += seen
            if review.cost:
                dearest.append((match, review))
        dearest = sorted(dearest, key=lambda one: -one[1].cost)[:DEAREST]
    if sys.stderr.isatty():
        print("\r" + " " * 30 + "\r", end="", file=sys.stderr, flush=True)
    report = report_habits(gains, costs, observations)
    if options.as_json:
        print(msgspec.json.encode(report).decode())
    else:
        labels = _labels([record for record, _ in records])
        print(
            "\n".join(
                [*_first_lines(report, labels), *_dearest_lines(records, dearest), *_lines(report, labels, options)]
            )
        )
    return 0


def _records_of(options: CoachOptions) -> Iterator[tuple[Record, int]]:
    """Yield the finished matches of the player with their seat; stderr names the files that are left out."""
    for file in options.files:
        record = read_record_file(file)
        if record.state.phase is not Phase.OVER:
            print_error(f"{file} is left out: its match is not over")
            continue
        try:
            seat = find_seat(record.state.names, options.seat)
        except MalformedError:
            print_error(f"{file} is left out: {options.seat!r:.60} did not play (but {', '.join(record.state.names)})")
            continue
        if is_tutorial(record.state.ruleset, len(record.state.names)):
            print_error(f"{file} is left out: it is a tutorial")
            continue
        if seat in record.stand_ins:
            print_error(f"{file} is left out: a bot played for {record.state.names[seat]} at its end")
            continue
        yield record, seat


def is_tutorial(rules: Ruleset, seats: int) -> bool:
    """Return whether a match has the rules of the matches with hints; the page finds them in the same way."""
    basic, is_random = preset("basic").ruleset.labels.game, rules.first_starter.method is StarterMethod.RANDOM
    return seats == 2 and rules.labels.game == basic and rules.dice.per_player == TUTORIAL_DICE and is_random


def _labels(records: Sequence[Record]) -> Labels:
    """Return the players' words that all matches share, or else the usual ones."""
    labels = {record.state.ruleset.labels for record in records}
    return labels.pop() if len(labels) == 1 else Labels()


def _first_lines(report: HabitReport, labels: Labels) -> Iterator[str]:
    yield _title(report, labels)
    yield (
        f"{counted(report.matches, 'match', 'matches')}, {counted(report.decisions, 'decision')}."
        f" All in all, {_points(report.cost, report.error)} points a match are given up."
    )
    if report.tip is not None:
        yield ""
        yield "A TIP, a first impression"
        yield f"  {tip_sentence(report.tip, labels)}"


def _say(key: str, *, count: int = 0, **values: str) -> str:
    return fill_text(ENGLISH, f"habit.{key}", count=count, **values)


def tip_sentence(tip: Tip, labels: Labels) -> str:
    """Return what to do otherwise, and what it is based on.

    >>> tip_sentence(Tip(HabitKind.OPENING, True, 2, 0.06), Labels())
    'Open lower: a low first bid leaves the others to go too high. 2 such decisions cost 6.0 points.'
    """
    advice = _say(f"tip.{tip.kind}.{'did' if tip.did else 'did_not'}", label=_label(tip.kind, labels))
    points = f"{100 * tip.cost:.1f}"
    return f"{advice} {_say('tip.cost', count=tip.decisions, n=str(tip.decisions), points=points)}"


def _label(kind: HabitKind, labels: Labels) -> str:
    """Return the players' word for what a habit is about."""
    return {HabitKind.EXACT: labels.exact, HabitKind.SPECIAL: labels.special_round}.get(kind, labels.challenge)


def _dearest_lines(
    records: Sequence[tuple[Record, int]], dearest: Sequence[tuple[int, DecisionReview]]
) -> Iterator[str]:
    """Yield the dearest decisions of all matches with their reasons."""
    if dearest:
        yield ""
        yield "YOUR DEAREST DECISIONS"
    for match, decision in dearest:
        record, seat = records[match]
        narrator = Narrator(record.state.ruleset, record.state.names, seat)
        yield from decision_lines(narrator, decision, f"Match {match + 1}, round {decision.round_number}")


def _lines(report: HabitReport, labels: Labels, options: CoachOptions) -> Iterator[str]:
    yield ""
    yield "HABITS, dearest first                                   cost in each match, in hundredths of a match"
    for habit in report.habits:
        yield f"  {habit_name(habit, labels):52}  {_verdict(habit, report.matches)}"
        yield f"    {_sentence(habit)}"
    yield ""
    yield skill_sentence(report.skill)
    yield ""
    yield "A cost goes by what the player could see; it is no claim where chance alone may explain it, nor below"
    yield f"{MIN_DECISIONS} decisions of a kind. Decisions of special rounds count in two kinds."
    yield f"Judged by {CHAMPION_NAME} from {options.deals} deals where a decision is not computed exactly."


def _title(report: HabitReport, labels: Labels) -> str:
    """Return the finding in one line."""
    dearest = next((habit for habit in report.habits if habit.verdict is HabitVerdict.COSTS), None)
    if dearest is not None:
        return _say("finding", name=habit_name(dearest, labels), points=_points(dearest.cost, dearest.error))
    is_early = all(habit.verdict is HabitVerdict.NOT_YET for habit in report.habits)
    return _say("finding.early" if is_early else "finding.none", n=str(MIN_DECISIONS))


def habit_name(habit: Habit, labels: Labels) -> str:
    """Return the name of a habit, with a judgement only where it costs something and the champion does otherwise."""
    label = _label(habit.kind, labels)
    match habit.kind:
        case HabitKind.CHALLENGE:
            return _say(f"challenge.{habit.way}", label=label, band=_band_words(habit.band))
        case HabitKind.BLUFF:
            dice = dice_words(habit.band)
            return _say(f"bluff.{habit.way}", dice=_say("dice.many", dice=dice) if habit.band == MANY_DICE else dice)
        case HabitKind.OPENING | HabitKind.EXACT:
            return _say(f"{habit.kind}.{habit.way}", label=label)
        case HabitKind.SILENCE | HabitKind.SPECIAL:
            return _say(str(habit.kind), label=label)


def _verdict(habit: Habit, matches: int) -> str:
    """Return what may be said of a habit: its cost, that it cannot be told, or how many matches it takes."""
    if habit.verdict is HabitVerdict.NOT_YET:
        needed = matches + habit.more_matches
        return _say("needed", count=needed, done=str(matches), n=f"{_rounded(needed):,}")
    if habit.verdict is HabitVerdict.CANNOT_TELL:
        return _say("cannot_tell")
    return _points(habit.cost, habit.error)


def _rounded(count: int) -> int:
    """Return a number with two significant digits.

    >>> _rounded(7), _rounded(199), _rounded(1487)
    (7, 200, 1500)
    """
    return round(count, min(0, 2 - len(str(count))))


def _sentence(habit: Habit) -> str:
    """Return what was counted, and what the champion does."""
    count = _say(f"count.{habit.kind}", did=str(round(habit.share * habit.decisions)), n=f"{habit.decisions:,}")
    if habit.verdict is HabitVerdict.NOT_YET or habit.kind in {HabitKind.SILENCE, HabitKind.SPECIAL}:
        return count
    own = f"{percent(habit.share)} ±{50 * (habit.share_95[1] - habit.share_95[0]):.0f}"
    return f"{_say(f'share.{habit.kind}', own=own, usual=percent(habit.usual))} {count}"


def _band_words(band: int) -> str:
    """Return a band of probability.

    >>> _band_words(0), _band_words(2), _band_words(4)
    ('under 20%', '40 to 60%', 'over 80%')
    """
    low, high = (f"{100 * limit:.0f}" for limit in ((0, *BANDS)[band], (*BANDS, 1)[band]))
    if band == 0:
        return _say("band.lowest", high=f"{high}%")
    if band == len(BANDS):
        return _say("band.highest", low=f"{low}%")
    return _say("band.between", low=low, high=f"{high}%")


def skill_sentence(skill: Skill) -> str:
    """Return how much more than an even share the player won, without luck, and how sure that is.

    >>> skill_sentence(Skill(400, -0.04, 0.03, None))
    'With the luck of the dice taken out: -4.0 ±3.0 points a match beside an even share.'
    >>> skill_sentence(Skill(3, None, None, 27))
    'A number for skill takes 30 matches: 27 more.'
    """
    count = skill.more_matches or 0
    n = f"{_rounded(count):,}"
    if skill.gain is None or skill.error is None:
        return _say("skill.early", count=count, min=str(MIN_MATCHES), n=n)
    gain = _say("skill.gain", gain=f"{100 * skill.gain:+.1f}", error=f"{100 * skill.error:.1f}")
    if skill.is_settled:
        return f"{gain} {_say('skill.better' if skill.gain > 0 else 'skill.worse')}"
    return f"{gain} {_say('skill.open', count=count, n=n)}" if count else gain


def _points(cost: float, error: float) -> str:
    return f"{100 * cost:.1f} ±{100 * error:.1f}"

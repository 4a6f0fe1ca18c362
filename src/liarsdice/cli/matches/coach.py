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
    report_habits,
)
from liarsdice.analysis.luck import MIN_MATCHES, Skill, gain_without_luck, match_account
from liarsdice.bots.neural.champion import CHAMPION_NAME
from liarsdice.cli.arguments import find_seat, read_record_file
from liarsdice.cli.stdio import print_error
from liarsdice.core.bids.odds import percent
from liarsdice.core.engine.state import Phase
from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice.core.records.record import Record
from liarsdice.core.rules.parts import Labels
from liarsdice.core.text.narration import dice_words

VERDICT_WORDS = {HabitVerdict.NOT_YET: "not yet", HabitVerdict.CANNOT_TELL: "cannot tell"}


class CoachOptions(msgspec.Struct, frozen=True):
    """The options of the command. `seat`: the name of a player, or the number of a seat from 1."""

    files: tuple[str, ...]
    seat: str
    deals: int
    as_json: bool


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
    for match, (record, seat) in enumerate(records):
        if sys.stderr.isatty():
            print(f"\rmatch {match + 1} of {len(records)}", end="", file=sys.stderr, flush=True)
        gains.append(gain_without_luck(match_account(record.events), seat))
        for cost, seen in observe_match(record, seat, match, deals=options.deals):
            costs.append((match, cost))
            observations += seen
    if sys.stderr.isatty():
        print("\r" + " " * 30 + "\r", end="", file=sys.stderr, flush=True)
    report = report_habits(gains, costs, observations)
    if options.as_json:
        print(msgspec.json.encode(report).decode())
    else:
        print("\n".join(_lines(report, _labels([record for record, _ in records]), options)))
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
        if seat in record.stand_ins:
            print_error(f"{file} is left out: a bot played for {record.state.names[seat]} at its end")
            continue
        yield record, seat


def _labels(records: Sequence[Record]) -> Labels:
    """Return the players' words that all matches share, or else the usual ones."""
    labels = {record.state.ruleset.labels for record in records}
    return labels.pop() if len(labels) == 1 else Labels()


def _lines(report: HabitReport, labels: Labels, options: CoachOptions) -> Iterator[str]:
    yield _title(report, labels)
    yield (
        f"{report.matches} {'match' if report.matches == 1 else 'matches'}, {report.decisions:,} decisions."
        f" All in all, {_points(report.cost, report.error)} points a match are given up."
    )
    yield skill_sentence(report.skill)
    yield ""
    yield "HABITS, dearest first                           points a match (hundredths of a match)"
    for habit in report.habits:
        said = VERDICT_WORDS.get(habit.verdict) or _points(habit.cost, habit.error)
        yield f"  {habit_name(habit, labels):44}  {said}"
        yield f"    {_sentence(habit, labels)}"
    yield ""
    yield "A cost goes by what the player could see; it is no claim where its 95% interval holds 0, nor below"
    yield f"{MIN_DECISIONS} decisions of a kind. Decisions of special rounds count in two kinds."
    yield f"Judged by {CHAMPION_NAME} from {options.deals} deals for each decision."


def _title(report: HabitReport, labels: Labels) -> str:
    """Return the finding in one line."""
    dearest = next((habit for habit in report.habits if habit.verdict is HabitVerdict.COSTS), None)
    if dearest is not None:
        return f"{habit_name(dearest, labels)}. It costs {_points(dearest.cost, dearest.error)[1:]} points a match."
    if all(habit.verdict is HabitVerdict.NOT_YET for habit in report.habits):
        return "Nothing to say yet: a habit shows after 200 decisions of its kind. Before that it is mostly dice."
    return "No habit costs anything that we can tell."


def habit_name(habit: Habit, labels: Labels) -> str:
    """Return the name of a habit, with a judgement only where it costs something and the champion does otherwise."""
    low, high = habit.share_95
    differs = habit.verdict is HabitVerdict.COSTS and not low <= habit.usual <= high
    way = ("less", "more")[habit.share > habit.usual] if differs else "plain"
    match habit.kind:
        case HabitKind.CHALLENGE:
            judgement = {"plain": "", "more": " too early", "less": " too late"}[way]
            return f"{labels.challenge}{judgement} on bids {_band_words(habit.band)} likely"
        case HabitKind.BLUFF:
            judgement = {"plain": "Bluffs", "more": "Too bold", "less": "Too honest"}[way]
            return f"{judgement} with {_hand_words(habit.band)}"
        case HabitKind.OPENING:
            return {"plain": "Opening bids", "more": "High opening bids", "less": "Low opening bids"}[way]
        case HabitKind.EXACT:
            judgement = {"plain": "", "more": " said too often", "less": " left unsaid"}[way]
            return f"{labels.exact}{judgement}"
        case HabitKind.SILENCE:
            return "Calls out of turn"
        case HabitKind.SPECIAL:
            return f"{labels.special_round} rounds"


def _sentence(habit: Habit, labels: Labels) -> str:
    """Return what was counted, and how many decisions that were."""
    count = f"{habit.decisions} decision{'' if habit.decisions == 1 else 's'}."
    if habit.verdict is HabitVerdict.NOT_YET:
        return f"{habit.decisions} of the {MIN_DECISIONS} decisions it takes. About {habit.more_matches} more matches."
    margin = (habit.share_95[1] - habit.share_95[0]) / 2
    own = f"{habit.share:.0%} ±{100 * margin:.0f}"
    match habit.kind:
        case HabitKind.CHALLENGE:
            return f"{labels.challenge} on {own} of these bids; the champion on {percent(habit.usual)}. {count}"
        case HabitKind.BLUFF:
            return f"{own} of the bids go above the hand; the champion's {percent(habit.usual)}. {count}"
        case HabitKind.OPENING:
            return f"They name {own} of the dice on the table; the champion's {percent(habit.usual)}. {count}"
        case HabitKind.EXACT:
            return f"{labels.exact} {own} of the times it may be said; the champion {percent(habit.usual)}. {count}"
        case HabitKind.SILENCE | HabitKind.SPECIAL:
            return count


def _band_words(band: int) -> str:
    """Return a band of probability.

    >>> _band_words(0), _band_words(2), _band_words(4)
    ('under 20%', '40 to 60%', 'over 80%')
    """
    low, high = (f"{100 * limit:.0f}" for limit in ((0, *BANDS)[band], (*BANDS, 1)[band]))
    if band == 0:
        return f"under {high}%"
    return f"over {low}%" if band == len(BANDS) else f"{low} to {high}%"


def _hand_words(dice: int) -> str:
    return f"{dice_words(dice)}{' or more' if dice == MANY_DICE else ''}"


def skill_sentence(skill: Skill) -> str:
    """Return how much more than an even share the player won, without luck, and how sure that is.

    >>> skill_sentence(Skill(400, 0.02, 0.03, 498))
    'Without luck: +2.0 ±3.0 points a match beside an even share. About 500 more matches would settle it.'
    >>> skill_sentence(Skill(400, -0.04, 0.03, 0))
    'Without luck: -4.0 ±3.0 points a match beside an even share. You play worse than those you met.'
    >>> skill_sentence(Skill(3, None, None, 27))
    'Without luck: a number for skill takes 30 matches: 27 more.'
    """
    count = skill.more_matches or 0
    if skill.gain is None or skill.error is None:
        return f"Without luck: a number for skill takes {MIN_MATCHES} matches: {count} more."
    gain = f"Without luck: {100 * skill.gain:+.1f} ±{100 * skill.error:.1f} points a match beside an even share."
    if skill.is_settled:
        return f"{gain} You play {'better' if skill.gain > 0 else 'worse'} than those you met."
    rounded = round(count, min(0, 2 - len(str(count))))
    return f"{gain} About {rounded:,} more match{'' if count == 1 else 'es'} would settle it." if count else gain


def _points(cost: float, error: float) -> str:
    return f"-{100 * cost:.1f} ±{100 * error:.1f}"

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
from liarsdice.cli.arguments import find_seat, read_record_file
from liarsdice.cli.matches.review import decision_lines
from liarsdice.cli.options import CoachOptions
from liarsdice.cli.stdio import print_error
from liarsdice.core.bids.odds import percent
from liarsdice.core.engine.state import Phase, State
from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice.core.records.record import Record
from liarsdice.core.rules.choices import StarterMethod
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.parts import Labels
from liarsdice.core.rules.presets import preset
from liarsdice.core.text.narration import Narrator, dice_words

DEAREST = 3
"""How many of the dearest decisions are listed."""
TUTORIAL = patched(preset("basic").ruleset, dice__per_player=3, first_starter__method=StarterMethod.RANDOM)
"""The rules of the matches with hints of the page, but for what they change on the way."""
TIPS = {
    (HabitKind.CHALLENGE, True): "Call “{challenge}” later: before you do, count what your own dice add to the bid.",
    (HabitKind.CHALLENGE, False): "Call “{challenge}” sooner: where you would need luck to raise, doubt the bid.",
    (HabitKind.BLUFF, True): "Raise by less: a bid that your own dice do not carry needs the others to hold them.",
    (
        HabitKind.BLUFF,
        False,
    ): "Compare two bids before you raise: the lowest one, and one on the face you hold most of.",
    (HabitKind.OPENING, True): "Open lower: a low first bid leaves the others to go too high.",
    (HabitKind.OPENING, False): "Open higher: a bid that all can raise safely comes back to you.",
    (HabitKind.EXACT, True): "Call “{exact}” less often: only one number makes it right.",
    (HabitKind.EXACT, False): "Think of “{exact}” where the bid names just what you expect on the table.",
    (HabitKind.SILENCE, True): "Call out of turn less often: let those doubt whose turn it is.",
    (HabitKind.SILENCE, False): "Call out of turn where a bid is far too high.",
}
"""A tip by the kind of decisions that cost most, and whether they did what is counted or not."""


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
        if _is_tutorial(record.state):
            print_error(f"{file} is left out: it is a tutorial")
            continue
        if seat in record.stand_ins:
            print_error(f"{file} is left out: a bot played for {record.state.names[seat]} at its end")
            continue
        yield record, seat


def _is_tutorial(state: State) -> bool:
    """Return whether a match has the rules of the matches with hints: two players, three dice each."""
    rules = state.ruleset
    kept = set(rules.__struct_fields__) - {"wilds", "next_starter", "guards"}
    return len(state.names) == 2 and all(getattr(rules, name) == getattr(TUTORIAL, name) for name in kept)


def _labels(records: Sequence[Record]) -> Labels:
    """Return the players' words that all matches share, or else the usual ones."""
    labels = {record.state.ruleset.labels for record in records}
    return labels.pop() if len(labels) == 1 else Labels()


def _first_lines(report: HabitReport, labels: Labels) -> Iterator[str]:
    yield _title(report, labels)
    yield (
        f"{report.matches} {'match' if report.matches == 1 else 'matches'}, {report.decisions:,} decisions."
        f" All in all, {_points(report.cost, report.error)} points a match are given up."
    )
    if report.tip is not None:
        yield ""
        yield "A TIP, a first impression"
        yield f"  {tip_sentence(report.tip, labels)}"


def tip_sentence(tip: Tip, labels: Labels) -> str:
    """Return what to do otherwise, and what it is based on.

    >>> tip_sentence(Tip(HabitKind.OPENING, True, 2, 0.06), Labels())
    'Open lower: a low first bid leaves the others to go too high. 2 such decisions cost 6.0 points.'
    """
    advice = TIPS[tip.kind, tip.did].format(challenge=labels.challenge, exact=labels.exact)
    based_on = f"{tip.decisions} such decisions" if tip.decisions > 1 else "One such decision"
    return f"{advice} {based_on} cost {100 * tip.cost:.1f} points."


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
    yield "HABITS, dearest first                           points a match (hundredths of a match)"
    for habit in report.habits:
        yield f"  {habit_name(habit, labels):44}  {_verdict(habit, report.matches)}"
        yield f"    {_sentence(habit, labels)}"
    yield ""
    yield skill_sentence(report.skill)
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
        return f"First impression: habits show only after {MIN_DECISIONS} decisions of a kind."
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


def _verdict(habit: Habit, matches: int) -> str:
    """Return what may be said of a habit: its cost, that it cannot be told, or how many matches it takes."""
    if habit.verdict is HabitVerdict.NOT_YET:
        return f"{matches} of about {_rounded(matches + habit.more_matches):,} matches needed"
    return "cannot tell" if habit.verdict is HabitVerdict.CANNOT_TELL else _points(habit.cost, habit.error)


def _count_sentence(habit: Habit) -> str:
    """Return how many decisions of the kind there were, and in how many of them the player did what is counted."""
    did = f"{round(habit.share * habit.decisions)} of {habit.decisions}"
    match habit.kind:
        case HabitKind.CHALLENGE | HabitKind.EXACT | HabitKind.SILENCE:
            return f"Calls: {did} chances."
        case HabitKind.BLUFF:
            return f"Bluffs: {did} bids."
        case HabitKind.OPENING:
            return f"Opening bids: {habit.decisions}."
        case HabitKind.SPECIAL:
            return f"Decisions: {habit.decisions}."


def _rounded(count: int) -> int:
    """Return a number with two significant digits.

    >>> _rounded(7), _rounded(199), _rounded(1487)
    (7, 200, 1500)
    """
    return round(count, min(0, 2 - len(str(count))))


def _sentence(habit: Habit, labels: Labels) -> str:
    """Return what was counted, and what the champion does."""
    count = _count_sentence(habit)
    if habit.verdict is HabitVerdict.NOT_YET:
        return count
    margin = (habit.share_95[1] - habit.share_95[0]) / 2
    own = f"{percent(habit.share)} ±{100 * margin:.0f}"
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
    return (
        f"{gain} About {_rounded(count):,} more match{'' if count == 1 else 'es'} would settle it." if count else gain
    )


def _points(cost: float, error: float) -> str:
    return f"-{100 * cost:.1f} ±{100 * error:.1f}"

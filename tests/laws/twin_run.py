"""Many random matches beside the reference engine: every law of the engine's judgements, for each of them.

`python -m tests.laws.twin_run --matches 20000 --slow-every 10` prints a report as JSON. Each difference goes to the
standard error stream with the rules, the seats and the seed that play the match again.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from unittest.mock import patch

import msgspec
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as hypothesis_seed
from hypothesis.errors import UnsatisfiedAssumption

from liarsdice.core.actions import Action
from liarsdice.core.engine.engine import decide
from liarsdice.core.engine.state import State
from liarsdice.core.errors import LiarsDiceError
from liarsdice.core.events import Event
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.ruleset_io import to_toml
from tests.laws import test_legality, test_settling
from tests.laws.random_matches import random_match
from tests.laws.random_rulesets import rule_axes, seeds, tables

Law = Callable[[tuple[Ruleset, int], int], None]
Condition = Callable[[Ruleset], object]

SLOW_LAWS: tuple[tuple[Condition, Law], ...] = (
    (
        lambda _: True,
        test_legality.test_a_bid_is_listed_accepted_and_allowed_by_the_rule_sheet_or_none_of_these,
    ),
    (
        lambda rules: rules.penalties,
        test_legality.test_a_penalty_is_listed_accepted_and_allowed_by_the_rule_sheet_or_none_of_these,
    ),
    (
        lambda rules: rules.bidding.show_dice,
        test_settling.test_dice_may_be_shown_exactly_where_the_rule_sheet_lets_them,
    ),
)
"""The laws about bids, penalties and dice to show, which judge thousands of actions in a match."""
LAWS: tuple[tuple[Condition, Law], ...] = (
    (
        lambda _: True,
        test_legality.test_a_call_is_listed_accepted_and_allowed_by_the_rule_sheet_or_none_of_these,
    ),
    (
        lambda rules: rules.bidding.pass_with,
        test_legality.test_a_pass_and_its_doubt_are_listed_accepted_and_allowed_by_the_rule_sheet_or_none_of_these,
    ),
    (
        lambda rules: rules.challenge.answers,
        test_legality.test_an_answer_is_listed_accepted_and_allowed_by_the_rule_sheet_or_none_of_these,
    ),
    (
        lambda rules: rules.turn.starter_may_reverse,
        test_legality.test_a_direction_is_listed_accepted_and_allowed_by_the_rule_sheet_or_none_of_these,
    ),
    (
        lambda rules: rules.special_round,
        test_legality.test_a_special_round_is_listed_accepted_and_allowed_by_the_rule_sheet_or_none_of_these,
    ),
    (
        lambda rules: rules.special_round,
        test_legality.test_a_kind_of_round_is_listed_accepted_and_allowed_by_the_rule_sheet_or_none_of_these,
    ),
    (
        lambda _: True,
        test_settling.test_any_call_at_any_time_is_settled_as_the_rule_sheets_say,
    ),
    (
        lambda rules: rules.bidding.pass_with,
        test_settling.test_a_doubted_pass_is_settled_as_the_rule_sheets_say,
    ),
    (
        lambda rules: rules.challenge.answers,
        test_settling.test_any_answer_to_a_doubled_call_is_settled_as_the_rule_sheets_say,
    ),
    (
        lambda rules: rules.wilds.special_is_wild,
        test_settling.test_the_wild_face_is_known_from_the_bids_and_the_kind_of_round,
    ),
    (
        lambda rules: rules.special_round,
        test_settling.test_a_special_round_is_called_off_when_its_player_or_too_many_others_are_out_before_it,
    ),
)
"""The other laws, as those above each with the rules under which it has something to compare."""

MODULES = (test_legality, test_settling)


class Report(msgspec.Struct):
    """What was compared.

    `judgements` are actions that both engines judged, `slow_matches` those against which the slow laws were held, too,
    and `choices` counts the matches of each rule choice.
    """

    seed: int
    matches: int = 0
    slow_matches: int = 0
    actions: int = 0
    judgements: int = 0
    differences: int = 0
    choices: dict[str, int] = {}


def undrawn(law: Law) -> Law:
    """The function of a law that Hypothesis draws tables for."""
    inner: Law = vars(law)["hypothesis"].inner_test
    return inner


def chosen(rules: Ruleset) -> set[str]:
    """The rule choices that a ruleset makes, as `path=value`."""
    plain = msgspec.to_builtins(rules)
    return {f"{path}={value}" for path, _ in rule_axes() for value in _values(plain, path.split("."))}


def _values(plain: object, path: list[str]) -> list[object]:
    values = [plain]
    for key in path:
        parts = [value.get(key) if isinstance(value, dict) else None for value in values]
        values = [value for part in parts for value in (part if isinstance(part, list | tuple) else [part])]
    return values


def compare(matches: int, seed: int, slow_every: int) -> Report:
    """Play random matches, and hold every law against each of them, slow ones against each `slow_every`-th."""
    report, choices = Report(seed), Counter[str]()

    def counted(state: State, seat: int | None, action: Action) -> list[Event]:
        report.judgements += 1
        return decide(state, seat, action)

    @hypothesis_seed(seed)
    @settings(
        max_examples=matches,
        database=None,
        deadline=None,
        derandomize=False,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(tables(), seeds)
    def hold(table: tuple[Ruleset, int], match_seed: int) -> None:
        report.matches += 1
        report.actions += len(random_match(*table, match_seed).steps)
        choices.update(chosen(table[0]))
        slow = report.matches % slow_every == 0
        report.slow_matches += slow
        for applies, law in (*LAWS, *SLOW_LAWS) if slow else LAWS:
            try:
                if applies(table[0]):
                    undrawn(law)(table, match_seed)
            except UnsatisfiedAssumption:  # the law excludes these rules
                continue
            except (AssertionError, LiarsDiceError) as error:
                report.differences += 1
                sys.stderr.write(f"{undrawn(law).__name__}, {table[1]} seats, seed {match_seed}: {error!r}\n")
                sys.stderr.write(f"{to_toml(table[0])}\n")

    with ExitStack() as stack:
        for module in MODULES:
            stack.enter_context(patch.object(module, "decide", counted))
        hold()
    report.choices = dict(sorted(choices.items()))
    return report


def main() -> None:
    """Print the report, and exit with status 1 if there was a difference."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--slow-every", type=int, default=1, help="hold the slow laws against each N-th match only")
    arguments = parser.parse_args()
    report = compare(arguments.matches, arguments.seed, arguments.slow_every)
    sys.stdout.write(f"{msgspec.json.format(msgspec.json.encode(report)).decode()}\n")
    raise SystemExit(1 if report.differences else 0)


if __name__ == "__main__":
    main()

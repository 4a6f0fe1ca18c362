"""Built-in bots by name: parameters, unknown names and descriptions."""

import random
from collections import Counter, defaultdict
from itertools import pairwise

import msgspec
import pytest
from hypothesis import given, settings

from liarsdice.bots.difficulty import REGULAR_PARTS, MixtureBot
from liarsdice.bots.external.subprocess_bot import SubprocessBot
from liarsdice.bots.neural.champion import Champion
from liarsdice.bots.protocol import Bot, MatchLifecycle
from liarsdice.bots.registry import bot_descriptions, bot_names, make_bot
from liarsdice.bots.simple.bid_odds import BidOdds
from liarsdice.bots.simple.simple_bots import Greedy, Novice, Random, Threshold
from liarsdice.core.actions import Challenge, PlayerAction
from liarsdice.core.engine.state import State
from liarsdice.core.engine.view import View, view
from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice.core.records.record import verify_events
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import RoundVisibility, ShowDice
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset, preset_names
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.play.match_runner import play_match
from liarsdice_lab.tournaments.arena import TimedBot, make_arena, play_deals, summarize
from tests.bots.positions import dealt_state, play_out
from tests.laws.random_matches import bidding_states, random_match
from tests.laws.random_rulesets import seeds, tables


def test_a_bot_is_made_by_name_with_its_parameter() -> None:
    assert make_bot("threshold") == Threshold(0.4)
    assert make_bot("threshold:0.3") == Threshold(0.3)
    assert make_bot(" Greedy:1 ") == Greedy(1.0)
    assert make_bot("inference") == Threshold(0.4, credit=0.7)
    assert make_bot("inference:0.25") == Threshold(0.25, credit=0.7)
    assert isinstance(make_bot("random", "seed"), Random)


def test_a_bots_repr_can_be_pasted_back() -> None:
    for spec in ("threshold:0.3", "greedy:0.2", "inference:0.4"):
        bot = make_bot(spec)
        assert eval(repr(bot), {"Threshold": Threshold, "Greedy": Greedy}) == bot  # noqa: S307  our own text
    assert repr(make_bot("random", 7)) == "Random(7)"


def test_an_unknown_bot_is_unavailable_and_the_message_lists_the_known_ones() -> None:
    with pytest.raises(UnavailableError, match=r"no bot is called 'nobody'.*random, threshold, greedy, inference"):
        make_bot("nobody:0.4")


@pytest.mark.parametrize(
    "spec",
    [
        "threshold:",
        "threshold:x",
        "greedy:1.1",
        "inference:-0.1",
        "threshold:nan",
        "threshold:inf",
        "random:0.4",
        "novice:0.4",
        "regular:0.4",
        "sharp:bold",
        "champion:angry",
        "champion@5:",
    ],
)
def test_a_parameter_that_makes_no_sense_is_refused(spec: str) -> None:
    with pytest.raises(MalformedError, match=spec):
        make_bot(spec)


@pytest.mark.parametrize("spec", ["champion@0", "champion@10", "champion@99", "champion@", "champion@one", "sharp@5"])
def test_a_champion_of_an_unknown_number_is_unavailable(spec: str) -> None:
    with pytest.raises(UnavailableError, match=f"no bot is called {spec} "):
        make_bot(spec)


def test_every_bot_is_described() -> None:
    assert tuple(bot_descriptions()) == bot_names()
    assert all(bot_descriptions().values())


LADDER = ("novice", "regular", "sharp", "champion")
SHEETS = ("chart", "classic+aces+palifico+calza", "basic", "mustache", "official", "perudo")
DEALS = {2: 200, 4: 40}
"""How many deals are played, by the number of seats; far more deals show 1.1 times the fair share and more."""


def test_a_regular_makes_each_mistake_in_its_share_of_the_decisions() -> None:
    shown = view(dealt_state(preset("perudo").ruleset, ((1, 1, 1, 4, 4), (2, 2, 3, 6, 6)), (Bid(5, 6),)), 1)
    shares: dict[PlayerAction | None, float] = defaultdict(float)
    for share, part in REGULAR_PARTS:
        shares[part.act(shown)] += share
    assert len(shares) > 1
    bot = make_bot("regular", 1)
    answers = Counter(bot.act(shown) for _ in range(1000))
    assert answers.keys() == shares.keys()
    for answer, share in shares.items():
        assert answers[answer] / 1000 == pytest.approx(share, abs=0.05)


class Witness:
    """Plays as another bot, and counts moves that are wrong whatever the others hold, though others were not."""

    def __init__(self, name: str, seed: int, counts: Counter[str]) -> None:
        self._bot = make_bot(name, seed)
        self._counts = counts

    def act(self, view: View) -> PlayerAction | None:
        move = self._bot.act(view)
        if view.on_turn:
            odds = BidOdds(view)
            self._counts["decisions"] += 1
            self._counts["proven"] += odds.p_standing == 1 and view.bid is not None
            self._counts["doubted a proven bid"] += isinstance(move, Challenge) and odds.p_standing == 1
            if isinstance(move, Bid) and odds.p_bid(move) == 0 and not plays_solved(self._bot, view):
                better = any(odds.p_bid(bid) > 0 for bid in view.may_bid)
                self._counts["bid what was ruled out"] += better or (view.may_challenge and odds.p_standing < 1)
        return move


def plays_solved(bot: Bot, view: View) -> bool:
    """Whether a bot plays a solved round or a blueprint: a bluff may then be ruled out by its own dice."""
    parts = [part for _, part in bot.parts] if isinstance(bot, MixtureBot) else [bot]
    champions = [part for part in parts if isinstance(part, Champion)]
    return any(champion.plays_solved(view) or champion.blueprint(view) is not None for champion in champions)


@pytest.mark.parametrize("name", ["regular", "sharp", "champion"])
@pytest.mark.parametrize("rules", ["perudo", "basic"])
def test_no_level_above_the_novice_plays_against_its_own_dice(name: str, rules: str) -> None:
    counts: Counter[str] = Counter()
    for number in range(8):
        seats = 2 + number % 2
        play_match(
            preset(rules).ruleset, [Witness(name, 10 * number + seat, counts) for seat in range(seats)], seed=number
        )
    assert counts["proven"] > 20
    assert counts["doubted a proven bid"] == 0
    assert counts["bid what was ruled out"] == 0


def test_the_same_seed_gives_the_same_decisions() -> None:
    shown = view(dealt_state(preset("perudo").ruleset, ((1, 1, 1, 4, 4), (2, 2, 3, 6, 6)), (Bid(5, 6),)), 1)
    for spec in ("regular", "sharp"):
        first, second = make_bot(spec, 5), make_bot(spec, 5)
        assert [first.act(shown) for _ in range(20)] == [second.act(shown) for _ in range(20)]


def test_without_a_seed_decisions_differ() -> None:
    shown = view(dealt_state(preset("perudo").ruleset, ((1, 1, 1, 4, 4), (2, 2, 3, 6, 6)), (Bid(5, 6),)), 1)
    for spec in ("regular", "sharp"):
        first, second = make_bot(spec), make_bot(spec)
        assert [first.act(shown) for _ in range(60)] != [second.act(shown) for _ in range(60)]


def test_a_part_with_the_share_1_decides_alone() -> None:
    shown = view(dealt_state(preset("perudo").ruleset, ((1, 1, 1, 4, 4), (2, 2, 3, 6, 6))), 0)
    assert MixtureBot([(0.0, Novice()), (1.0, Threshold())], 1).act(shown) == Threshold().act(shown)
    assert MixtureBot([(1.0, Novice()), (0.0, Threshold())], 1).act(shown) == Novice().act(shown)


@pytest.mark.parametrize("weaker, stronger", list(pairwise(LADDER)))
@pytest.mark.parametrize("seats", DEALS)
@pytest.mark.parametrize("rules", SHEETS)
def test_each_level_beats_the_one_below(rules: str, seats: int, weaker: str, stronger: str) -> None:
    arena = make_arena(preset(rules).ruleset, [stronger], opponents=[weaker], seats=seats, seed=11, duplicate=True)
    summary = summarize(arena, list(play_deals(arena, range(DEALS[seats]))))
    assert summary.standings[0].win_share > 1 / seats


def test_a_sharp_bot_plays_as_a_champion_in_two_decisions_of_five() -> None:
    bot = make_bot("sharp", 1)
    assert isinstance(bot, MixtureBot)
    assert [(share, type(part)) for share, part in bot.parts] == [(0.4, Champion), (0.6, Threshold)]
    assert bot.parts[1][1] == make_bot("inference")


def test_bots_that_hold_a_process_are_told_of_the_start_and_end() -> None:
    bots: list[Bot] = [SubprocessBot(["sh"]), TimedBot(SubprocessBot(["sh"]))]
    assert all(isinstance(bot, MatchLifecycle) for bot in bots)


def test_built_in_bots_hold_nothing() -> None:
    assert not any(isinstance(make_bot(name), MatchLifecycle) for name in bot_names())


HOUSE_RULES: list[dict[str, object]] = [
    {"dice__visibility": RoundVisibility.BLIND},
    {"dice__visibility": RoundVisibility.OTHERS},
    {"bidding__show_dice": ShowDice.COUNTING_KEPT},
]
WITH_OPTIONS = (
    "classic+aces+palifico+calza+reversa",
    "perudo+obligo-closed+siciliana+half-calza",
    "perudo+obligo-open",
    "perudo+declared-palifico",
    "perudo+obligo-chosen",
    "perudo+face-off",
)


@pytest.mark.parametrize("bot", bot_names())
@pytest.mark.parametrize("name", [*preset_names(), *WITH_OPTIONS])
def test_a_match_in_every_preset_ends_without_a_fault(name: str, bot: str) -> None:
    rules = preset(name).ruleset
    for seats in (2, 3):
        referee = play_out(rules, {seat: make_bot(bot, f"{seats}/{seat}") for seat in range(seats)}, seats)
        assert referee.faults == []
        assert referee.match.is_over
        assert verify_events(referee.match.events) == referee.match.state


@pytest.mark.parametrize("bot", bot_names())
@pytest.mark.parametrize("change", HOUSE_RULES, ids=str)
def test_a_match_by_house_rules_ends_without_a_fault(change: dict[str, object], bot: str) -> None:
    rules = patched(preset("perudo").ruleset, **change)
    referee = play_out(rules, {seat: make_bot(bot, str(seat)) for seat in range(3)}, 3)
    assert referee.faults == []
    assert verify_events(referee.match.events) == referee.match.state


@pytest.mark.parametrize("name", preset_names())
def test_different_bots_in_one_match_play_without_a_fault(name: str) -> None:
    rules = preset(name).ruleset
    for specs in (bot_names(), bot_names()[::-1]):
        table = specs[: rules.players.max or len(specs)]
        referee = play_out(rules, {seat: make_bot(bot, seat) for seat, bot in enumerate(table)})
        assert referee.faults == []


@given(tables(), seeds)
def test_bots_play_any_valid_rules_to_their_end(table: tuple[Ruleset, int], seed: int) -> None:
    rules, seats = table
    specs = bot_names()
    bots = {seat: make_bot(specs[(seat + seed) % len(specs)], f"{seed}/{seat}") for seat in range(seats)}
    referee = play_out(rules, bots, seed)
    assert referee.faults == []
    assert referee.match.is_over


def with_hidden_dice_rerolled(state: State, seat: int, rng: random.Random) -> State:
    """Return a state that looks the same from a seat: all dice that it cannot see are rolled again."""
    faces, shown = range(1, state.ruleset.dice.faces + 1), view(state, seat)
    seen = {owner for owner, hand in enumerate(shown.seen) if hand} | ({seat} if shown.hand else set())
    hands = tuple(
        hand if owner in seen else tuple(rng.choices(faces, k=len(hand))) for owner, hand in enumerate(state.hands)
    )
    return msgspec.structs.replace(state, hands=hands)


@settings(max_examples=40)
@given(tables(), seeds)
def test_hidden_dice_change_no_decision(table: tuple[Ruleset, int], seed: int) -> None:
    rng = random.Random(seed)
    for state in list(bidding_states(random_match(*table, seed, 60)))[:15]:
        for seat in state.alive():
            original, rerolled = view(state, seat), view(with_hidden_dice_rerolled(state, seat, rng), seat)
            if not original.moves:
                continue
            for name in bot_names():
                assert make_bot(name, seed).act(original) == make_bot(name, seed).act(rerolled)


def test_a_view_does_not_contain_the_hands_of_others() -> None:
    fields = set(View.__struct_fields__)
    assert {"hands", "bid_space"} & fields == set()
    with pytest.raises(AttributeError):
        _ = View.hands  # type: ignore[attr-defined]

"""The view that is made from the server's messages says the same as the engine's, at every point of a match."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from liarsdice.client.views import Happened, NewsItem, TableView, read_view
from liarsdice.core.actions import Action, Deal
from liarsdice.core.engine.engine import decide
from liarsdice.core.engine.legal import legal
from liarsdice.core.engine.state import Phase, State
from liarsdice.core.engine.view import view
from liarsdice.core.events import EndReason, MatchEnded
from liarsdice.core.records.record import result_names
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.text.turn_text import turn_text
from liarsdice.mcp.agent import seat_view, table_text
from liarsdice.play.match import Dealer
from liarsdice.server.protocol.encoding import TableFrames
from liarsdice.server.table import log_entries as e
from liarsdice.server.table.reducer import apply_row, replay_log
from liarsdice.server.table.table_config import TableConfig
from liarsdice.server.table.table_state import TableState

NAMES = ("Ann", "Bo", "Cy")
OBLIGO = ("perudo+obligo-closed", "perudo+obligo-chosen")
SHEETS = ("perudo", "classic+aces", "bluff", "dudo", "basic", "openspiel", *OBLIGO)


def rules_of(sheet: str) -> Ruleset:
    """The rules of a sheet; with two dice where special rounds are wanted soon."""
    changes = {"dice__per_player": 2, "special_round__min_players": 2} if sheet in OBLIGO else {}
    return patched(preset(sheet).ruleset, **changes)


def begun_table(rules: str) -> TableState:
    entries: tuple[e.LogEntry, ...] = (
        e.Opened("KQXM", TableConfig(title="t", ruleset=rules_of(rules), seats=3)),
        *(e.Joined(player, name, name) for player, name in enumerate(NAMES, 1)),
        e.SeedCommitted("a1" * 16),
        e.MatchBegan(1),
    )
    table = replay_log(e.LogRow(seq, 0, "", entry) for seq, entry in enumerate(entries, 1))
    assert table is not None
    return table


def random_action(state: State, dealer: Dealer, chance: random.Random) -> tuple[int | None, Action]:
    if state.phase is not Phase.BIDDING:
        return None, dealer.action(state)
    moves = legal(state)
    caller = chance.choice(moves.challengers) if moves.challengers else None
    if caller is not None and chance.random() < 0.3:
        return caller, next(move for move in view(state, caller).moves if type(move).__name__ == "Challenge")
    return state.turn, chance.choice(view(state, state.turn).moves[:6])


def match_states(rules: str, seed: int) -> Iterator[TableState]:
    """Yield a table after every event of a random match, until it is over or long."""
    table, dealer, chance = begun_table(rules), Dealer(seed), random.Random(seed)
    for _ in range(60):
        assert table.match is not None
        if table.match.over:
            return
        seat, action = random_action(table.match.state, dealer, chance)
        table = played(table, seat, action)
        yield table


def played(table: TableState, seat: int | None, action: Action) -> TableState:
    assert table.match is not None
    entry = e.Played(tuple(decide(table.match.state, seat, action)), seat)
    return apply_row(table, e.LogRow(table.seq + 1, 0, "", entry))


def seen_by(table: TableState, player: int | None) -> TableView:
    frames = TableFrames(table, None)
    return read_view(b'{"setup":%b,"update":%b}' % (frames.setup, frames.update(player, 0)))


@pytest.mark.parametrize("rules", SHEETS)
def test_a_seat_reads_what_the_engine_says(rules: str) -> None:
    compared = 0
    for seed in range(4):
        for table in match_states(rules, seed):
            assert table.match is not None
            for seat in range(len(NAMES)):
                shown = seat_view(seen_by(table, seat + 1))
                assert shown is not None
                expected = view(table.match.state, seat)
                assert turn_text(shown, with_odds=True) == turn_text(expected, with_odds=True)
                assert shown.moves == expected.moves
                compared += 1
    assert compared > 50


def test_who_has_no_seat_has_no_view() -> None:
    table = next(match_states("perudo", 0))
    assert seat_view(seen_by(table, None)) is None
    assert seat_view(seen_by(begun_table("perudo"), 9)) is None


def test_a_result_of_a_bot_that_played_for_a_person_names_the_bot() -> None:
    """The client and the texts for agents say what the page and the record say."""
    *_, table = match_states("openspiel", 3)
    assert table.match is not None
    assert table.match.over
    winner = table.match.state.winners[0]
    by_bot = replace(table, match=replace(table.match, stand_ins=(winner,)))
    ended = NewsItem(table.seq, 0, Happened(MatchEnded((winner,), EndReason.LAST_PLAYER)))
    for viewer in (winner, (winner + 1) % len(NAMES)):
        person, bot = (replace(seen_by(shown, viewer + 1), news=(ended,)) for shown in (table, by_bot))
        assert person.seat_names == NAMES
        assert bot.seat_names == result_names(NAMES, (winner,))
        assert "(bot)" not in table_text(person)
        assert f"Winners: {NAMES[winner]} (bot)" in table_text(bot)
        assert f"- {NAMES[winner]} (bot) wins the match." in table_text(bot)


def test_hidden_dice_change_no_text() -> None:
    """Deals that differ in the dice of others give the same texts, to the byte."""
    compared = 0
    for rules in SHEETS:
        table = begun_table(rules)
        dealer = Dealer(7)
        while table.match is not None and table.match.state.phase is not Phase.DEAL:
            table = played(table, None, dealer.action(table.match.state))
        assert table.match is not None
        own, count = table.match.state.turn, table.match.state.dice[0]
        texts = set()
        for hidden in (2, 3, 6):
            hands = tuple((1,) * (count - 1) + (4,) if seat == own else (hidden,) * count for seat in range(3))
            dealt = played(table, None, Deal(hands))
            bid = legal(dealt.match.state).bids[0]  # type: ignore[union-attr]  # it is being played
            for moved in (dealt, played(dealt, own, bid)):
                texts.add((moved is dealt, table_text(seen_by(moved, own + 1), with_odds=True)))
        assert len(texts) == 2, rules
        compared += len(texts)
    assert compared == 2 * len(SHEETS)

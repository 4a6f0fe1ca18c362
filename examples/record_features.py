"""Features from records: a row for each bid, with what its player knew and whether it was true in the end."""

import csv
import sys
from collections.abc import Iterator
from pathlib import Path

from liarsdice import BidMade, Record, Revealed, __version__, evolve, play_match, preset, read_record, replay, view
from liarsdice import write_record as written

COLUMNS = ("round", "seat", "dice", "own_dice", "quantity", "face", "own_count", "standing", "true")
Row = list[int | bool]


def rows(record: Record) -> Iterator[Row]:
    """Yield the bids of a match, each once its round is revealed."""
    state, made = replay(record.events[:1]), list[tuple[Row, int, int]]()
    for event in record.events[1:]:
        if isinstance(event, BidMade):
            seen, bid = view(state, event.seat), event.bid
            standing = seen.bid.quantity if seen.bid else 0
            row: Row = [seen.round_number, event.seat, sum(seen.dice), len(seen.hand), bid.quantity, bid.face]
            made.append(([*row, seen.hand.count(bid.face), standing], bid.quantity, bid.face))
        if isinstance(event, Revealed):
            special = state.ruleset.dice.special_face
            dice = [die for hand in event.hands for die in hand]
            for row, quantity, face in made:
                wild = dice.count(special) if event.wilds_counted and face != special else 0
                yield [*row, dice.count(face) + wild >= quantity]
            made.clear()
        state = evolve(state, event)


if not sys.argv[1:]:
    result = play_match(preset("perudo").ruleset, ["inference", "threshold", "greedy"], seed=1)
    Path("match.jsonl").write_text(written(result.events, __version__), encoding="utf-8")
table = csv.writer(sys.stdout, lineterminator="\n")
table.writerow(COLUMNS)
for name in sys.argv[1:] or ["match.jsonl"]:
    table.writerows(rows(read_record(Path(name))))

"""Records of matches with provable dice, as a server plays them."""

from liarsdice.bots.registry import make_bot
from liarsdice.core.records.fairness import PROTOCOL, Fairness
from liarsdice.core.records.record import write_record
from liarsdice.core.rules.presets import preset
from liarsdice.play.dealer import Dealer
from liarsdice.play.match import Match
from liarsdice.play.provable_dice import HmacSource, commitment_to
from liarsdice.play.referee import Referee
from liarsdice.version import __version__

SEED = "5eed" * 16
FAIRNESS = Fairness(PROTOCOL, "K7P4", 1, commitment_to(SEED), SEED, ("a1", "b2", ""))


def provable_record(rules: str, fairness: Fairness = FAIRNESS) -> str:
    """Return the record of a match of three bots under a preset."""
    match = Match(preset(rules).ruleset, ("Ann", "Bo", "Cy"), Dealer(source=HmacSource(fairness)))
    referee = Referee(match, {seat: make_bot("inference", seat) for seat in range(3)})
    referee.play()
    return write_record(match.events, __version__, fairness)

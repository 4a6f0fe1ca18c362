"""Records of matches with provable dice, as a server plays them."""

import msgspec

from liarsdice.bots.registry import make_bot
from liarsdice.core.engine.engine import match_started
from liarsdice.core.records.record import PROTOCOL, Fairness, signature_line, write_record
from liarsdice.core.rules.presets import preset
from liarsdice.play.match import Dealer, Match
from liarsdice.play.provable_dice import HmacSource, commitment_to, match_promise
from liarsdice.play.referee import Referee
from liarsdice.play.verify_record import KEY_BYTES, RecordSigner
from liarsdice.version import __version__

SEED = "5eed" * 16
ANNS_SEED, BOS_SEED = "a1" * 32, "b2" * 32
SIGNER = RecordSigner(bytes(range(KEY_BYTES)))
NAMES = ("Ann", "Bo", "Cy")
FAIRNESS = Fairness(
    PROTOCOL,
    "K7P4",
    1,
    commitment_to(SEED),
    SEED,
    (ANNS_SEED, BOS_SEED, ""),
    (commitment_to(ANNS_SEED), commitment_to(BOS_SEED), ""),
    SIGNER.public_key,
)


def promise_of(rules: str, fairness: Fairness = FAIRNESS) -> str:
    """Return the promise of the match that `provable_record` plays."""
    start = msgspec.json.encode(match_started(preset(rules).ruleset, NAMES)).decode()
    return match_promise(fairness, __version__, start)


def provable_record(rules: str, fairness: Fairness = FAIRNESS) -> str:
    """Return the record of a match of three bots under a preset."""
    source = HmacSource(fairness, promise_of(rules, fairness))
    match = Match(preset(rules).ruleset, NAMES, Dealer(source=source))
    referee = Referee(match, {seat: make_bot("inference", seat) for seat in range(3)})
    referee.play()
    return signed(write_record(match.events, __version__, fairness))


def resigned(text: str) -> str:
    """Return the text of a changed record with a new signature in place of the old one."""
    return signed("".join(text.splitlines(keepends=True)[:-1]))


def signed(text: str) -> str:
    """Return the text of a record with its signature as the last line."""
    return text + signature_line(SIGNER.sign(text.encode()))

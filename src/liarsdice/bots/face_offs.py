"""The solved face-off of the package: two players with one die of six faces each bid on the sum of both dice."""

from functools import cache
from importlib.resources import as_file, files

from liarsdice.core.actions import Challenge
from liarsdice.core.engine.view import View
from liarsdice.core.rules.bid_space import FACE_OFF_PLAYERS
from liarsdice.core.rules.bids import SUM_FACE, Bid
from liarsdice.core.rules.choices import LossMode
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.solve.face_off_solver import FaceOffStrategy, read_face_off
from liarsdice.solve.strategy.strategy import ActionProbs

SOLVED_FACES = (6, 6)
"""The faces of the dice of the opener and of the responder."""
FACE_OFF_FILE = "face-off-6v6.npz"
"""The name of the file in the package."""
ROUNDING_ERROR = 1e-9
"""What a sum of probabilities may miss of 1."""


def face_off_policy(view: View) -> ActionProbs | None:
    """Return the solved probability of each action for the player on turn of a face-off, or None if it is not solved.

    It is solved for dice with six faces, where the loser of a challenge is out and nobody may call exact.
    """
    rules = view.ruleset
    faces = {rules.dice.faces_at(seat) for seat, held in enumerate(view.dice) if held}
    if not view.face_off or not view.on_turn or view.may_answer or view.is_blind or faces != set(SOLVED_FACES):
        return None
    if not _loser_is_out(view) or _may_call_exact(rules):
        return None
    bids = packaged_face_off().bid_probs(view.hand[0], tuple(bid.quantity for _, bid in view.bids))
    probs: ActionProbs = {Bid(total, SUM_FACE): p for total, p in bids.items() if p > 0}
    p_challenge = 1 - sum(probs.values()) if view.bids else 0.0
    return probs | ({Challenge(): p_challenge} if p_challenge > ROUNDING_ERROR else {})


def _loser_is_out(view: View) -> bool:
    """Return whether each challenge costs a player the only die."""
    loss = view.ruleset.loss
    return not view.lives and (loss.mode is LossMode.FIXED or loss.exact > 0)


def _may_call_exact(rules: Ruleset) -> bool:
    return rules.exact_call is not None and rules.exact_call.min_players <= FACE_OFF_PLAYERS


@cache
def packaged_face_off() -> FaceOffStrategy:
    """Return the strategy in the package; read once per process."""
    with as_file(files("liarsdice.bots") / "models" / FACE_OFF_FILE) as path:
        return read_face_off(path)

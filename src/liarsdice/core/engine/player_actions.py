"""Judging the players' actions: bids, calls, answers, directions and penalties, and why a bid is refused."""

from typing import NoReturn

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from liarsdice.core.actions import (
    AnswerDouble,
    BidAndShow,
    Challenge,
    ChallengePass,
    ChooseKind,
    ClaimExact,
    DeclareSpecial,
    Exact,
    Pass,
    Penalise,
    PlayerAction,
    Reroll,
    SetDirection,
)
from liarsdice.core.engine.legal import (
    bid_is_legal,
    bids_exhausted,
    challengers,
    claimants,
    directions,
    doublers,
    exact_call_refusal,
    exact_call_refusal_for_seat,
    exact_callers,
    legal_bids,
    may_declare,
    pass_refusal,
    penalties_now,
    reroll_refusal,
    show_refusal,
    was_made,
)
from liarsdice.core.engine.settle import Settlement, settle, settle_fold
from liarsdice.core.engine.state import Phase, State, next_seat, require_seat
from liarsdice.core.errors import IllegalActionError, MalformedError, counted, described
from liarsdice.core.events import (
    BidMade,
    Cause,
    Challenged,
    DirectionSet,
    DoubleAnswered,
    Doubled,
    Event,
    ExactCalled,
    ExactClaimed,
    KindChosen,
    PassChallenged,
    Passed,
    Penalised,
    Rerolled,
    SpecialDeclared,
)
from liarsdice.core.rules.bid_space import UNCAPPED_QUANTITY
from liarsdice.core.rules.bids import Bid, beats, may_be_pure, raise_relation
from liarsdice.core.rules.choices import (
    AllDifferent,
    Answer,
    Direction,
    ExactClaim,
    PenaltyTiming,
    PenaltyTrigger,
    RoundKind,
    WhoCalls,
    WhoCallsExact,
)
from liarsdice.core.rules.meaning import (
    blind_seats,
    calls_exact,
    doubles_are_answered,
    exact_claim,
    has_double_challenge,
    has_face_off,
    has_passes,
    has_pure_bids,
    kind_is_chosen,
    may_fold,
    may_show_dice,
    special_round_is_declared,
)
from liarsdice.core.rules.parts import find_penalty
from liarsdice.core.rules.ruleset import Ruleset


def answer_double(state: State, seat: int, action: AnswerDouble) -> list[Event]:
    """Return the events of an answer. Raises `MalformedError` and `IllegalActionError` as `decide`."""
    if type(action.answer) is not Answer:
        raise MalformedError(f"an answer is one of {', '.join(map(str, Answer))}, not {action.answer!r:.80}")
    if state.doubled_by is None:
        raise IllegalActionError("there is no challenge for twice the stake to answer (call double to make one)")
    if seat != state.turn:
        raise IllegalActionError(f"{state.names[seat]} may not answer: {state.names[state.turn]} does")
    legal_answers = state.answers
    if action.answer not in legal_answers:
        raise IllegalActionError(f"nobody may {action.answer} now (answers: {', '.join(map(str, legal_answers))})")
    bidder = state.bids[-1][0]
    answered = DoubleAnswered(seat, state.doubled_by if seat == bidder else bidder, action.answer)
    match action.answer:
        case Answer.ACCEPT:
            call = _call(state, redoubled=state.redoubled)
            return [answered, call, *settle(state, call)]
        case Answer.REDOUBLE if may_fold(state.ruleset):
            return [answered]
        case Answer.REDOUBLE:
            call = _call(state, redoubled=True)
            return [answered, call, *settle(state, call)]
        case Answer.FOLD:
            return [answered, *settle_fold(state, _call(state, redoubled=state.redoubled), seat)]


def is_of_opening(state: State) -> bool | UnsetType:
    """Return True for a challenge of the opening bid where such a challenge costs more; unset otherwise."""
    return (len(state.bids) == 1 and isinstance(state.ruleset.loss.opening_factor, int)) or UNSET


def _call(state: State, *, redoubled: bool) -> Challenged:
    """Return the challenge that is answered."""
    assert state.doubled_by is not None
    bidder, bid = state.bids[-1]
    latest = bidder if state.passer is None else state.passer
    out_of_turn = state.doubled_by != next_seat(state.dice, latest, state.direction)
    call = Challenged(state.doubled_by, bidder, bid, out_of_turn, is_of_opening(state), double=True)
    return replace(call, redoubled=True) if redoubled else call


def explain_refusal(state: State, bid: Bid) -> str:
    """Return why a bid is not legal for the seat on turn, and which bids are legal, as one line."""
    rules = state.ruleset
    if state.face_off or (bid.is_sum and has_face_off(rules)):
        return _explain_sum(state, bid)
    if not 1 <= bid.face <= rules.dice.faces:
        sums = " (these rules have no bids on a sum)" if bid.is_sum else ""
        named = f"bid {bid.quantity}x{bid.face} names face {bid.face}"
        return f"{named}, but the dice have faces 1 to {rules.dice.faces}{sums}"
    if bid.face not in state.bid_space.faces:
        return f"bid {bid} is on face {bid.face}, which may not be bid here"
    if bid.quantity < 1:
        return f"bid {bid} is for fewer than one die (bid at least 1x{bid.face})"
    if bid.pure and not may_be_pure(rules, bid.face):
        reason = f"bids on face {bid.face} always are" if has_pure_bids(rules) else "these rules have no pure bids"
        return f"bid {bid} is marked as pure, but {reason} (leave the mark out: {bid.quantity}x{bid.face})"
    if bids_exhausted(state):
        return f"bid {bid} comes too late: this round has had its {counted(len(state.bids), 'bid')} (challenge instead)"
    highest = UNCAPPED_QUANTITY if state.max_quantity is None else state.max_quantity
    if bid.quantity > highest:
        return f"bid {bid} is more than may be bid (at most {highest} of a face)"
    old = state.bid
    if old is None:
        return f"a round may not open with {bid} ({_legal_instead(state, bid.face)})"
    if state.face_locked and bid.face != old.face and state.turn not in state.exempt:
        return f"bid {bid} changes the face, which is locked in this round ({_legal_instead(state, old.face)})"
    if beats(rules, old, bid) and was_made(state, bid):
        return f"bid {bid} was already made in this round ({_legal_instead(state, bid.face)})"
    return f"bid {bid} does not beat {old} ({_legal_instead(state, bid.face)})"


def _explain_sum(state: State, bid: Bid) -> str:
    """Return why a bid is not legal where one of the bid and the round is about a sum."""
    if not state.face_off:
        return f"bid {bid} is on a sum (face 0), but only two players with one die each bid so (bid 1x2)"
    bids = legal_bids(state)
    instead = f"needs {bids[0]} to {bids[-1]}" if bids else "no bid is left: call it"
    if not bid.is_sum:
        return f"bid {bid} is on a face, but in a face-off bids are sums of both dice ({instead})"
    return f"bid {bid} is no sum that may be bid now ({instead})"


def _legal_instead(state: State, face: int) -> str:
    """Describe the legal bids: "needs X or higher" if all that beats X is legal too, else quantities by face."""
    bids = legal_bids(state)
    if not bids:
        return "no bid is left: call it"
    lowest = _lowest_of(state, bids)
    if lowest:
        return f"needs {lowest} or higher"
    kinds = sorted({(bid.face, bid.pure) for bid in bids}, key=lambda kind: (kind[0] != face, kind))
    return f"needs {'; '.join(_quantities(state, *kind, bids) for kind in kinds)}"


def _lowest_of(state: State, bids: tuple[Bid, ...]) -> Bid | None:
    """Return the bid with which the legal bids are itself and all that beats it (on its own face, if it is locked)."""
    legal, highest = frozenset(bids), max(bid.quantity for bid in bids)
    is_locked = len({bid.face for bid in bids}) == 1
    is_beaten_by = raise_relation(state.ruleset)
    for lowest in bids:
        if not all(bid is lowest or is_beaten_by(lowest, bid) for bid in bids):  # mostly known at once
            continue
        higher = state.bid_space.higher_bids(lowest, highest)
        if is_locked:
            higher = tuple(bid for bid in higher if bid.face == lowest.face)
        if len(higher) + 1 == len(legal) and legal.issuperset(higher):
            return lowest
    return None


def _quantities(state: State, face: int, pure: bool, bids: tuple[Bid, ...]) -> str:  # noqa: FBT001  the kind of a bid
    quantities = [bid.quantity for bid in bids if (bid.face, bid.pure) == (face, pure)]
    lowest = quantities[0]
    highest = max(bid.quantity for bid in bids) if state.max_quantity is None else state.max_quantity
    if len(quantities) == 1 and lowest < highest:
        return f"{Bid(lowest, face, pure)} and no more"
    missing = [str(Bid(other, face, pure)) for other in range(lowest, highest + 1) if other not in quantities]
    or_more = f"{Bid(lowest, face, pure)} or more"
    return f"{or_more}, but not {', '.join(missing)}" if missing else or_more


def decide_player(state: State, seat: int, action: PlayerAction) -> list[Event]:
    """Return the events of a player's action. Raises `MalformedError` and `IllegalActionError` as `decide`."""
    require_seat(seat, len(state.names))
    if not state.dice[seat]:
        raise IllegalActionError(f"{state.names[seat]} is out and plays no more")
    missing = _missing_rule(state.ruleset, action)
    if missing is not None:
        raise IllegalActionError(missing)
    match action:
        case Bid():
            return _bid(state, seat, action)
        case BidAndShow():
            return _bid_and_show(state, seat, action)
        case Challenge():
            return _challenge(state, seat, action)
        case AnswerDouble():
            return answer_double(state, seat, action)
        case Exact():
            return _exact(state, seat)
        case ClaimExact():
            return _claim_exact(state, seat)
        case Pass():
            return _pass(state, seat)
        case ChallengePass():
            return _challenge_pass(state, seat)
        case SetDirection(direction):
            return _set_direction(state, seat, direction)
        case DeclareSpecial():
            return _declare_special(state, seat)
        case ChooseKind():
            return _choose_kind(state, seat, action)
        case Reroll():
            return _reroll(state, seat)
        case Penalise():
            return _penalise(state, seat, action)
        case _:
            raise MalformedError(f"{described(action)} is no action of a player")


def _missing_rule(rules: Ruleset, action: PlayerAction) -> str | None:
    """Return why these rules never allow a move of this kind, and what to do instead; None if they do."""
    match action:
        case BidAndShow() if not may_show_dice(rules):
            return "these rules let nobody show dice (bid alone)"
        case Challenge() if action.double is True and not has_double_challenge(rules):
            return "these rules have no challenge for twice the stake (challenge without doubling)"
        case AnswerDouble() if not doubles_are_answered(rules):
            return "these rules have no answer to a challenge (bid or call)"
        case Exact() if not calls_exact(rules):
            return "these rules have no exact call (challenge or bid)"
        case ClaimExact() if exact_claim(rules) is None:
            return "these rules have no claim that a bid is exactly right (bid or call)"
        case Pass() | ChallengePass() if not has_passes(rules):
            return "these rules have no pass (bid or call)"
        case SetDirection() if not rules.turn.starter_may_reverse:
            return "these rules do not let a player choose the direction (bid or call)"
        case DeclareSpecial() if kind_is_chosen(rules) or not special_round_is_declared(rules):
            return "these rules have no special round that a player declares (bid or call)"
        case ChooseKind() if not kind_is_chosen(rules):
            return "these rules do not let a player choose the kind of a round (bid or call)"
        case Reroll() if rules.count.all_different is not AllDifferent.MAY_ROLL_AGAIN:
            return "these rules let nobody roll a hand again (bid or call)"
        case Penalise() if not rules.penalties:
            return "these rules have no penalties"
        case _:
            return None


def _bid(state: State, seat: int, bid: Bid) -> list[Event]:
    _require_bidding(state, "bid")
    if seat != state.turn:
        raise IllegalActionError(f"{state.names[seat]} may not bid: it is the turn of {state.names[state.turn]}")
    if not bid_is_legal(state, bid):
        raise IllegalActionError(explain_refusal(state, bid))
    return [BidMade(seat, bid)]


def _bid_and_show(state: State, seat: int, action: BidAndShow) -> list[Event]:
    if (
        type(action.bid) is not Bid
        or type(action.shown) is not tuple
        or any(type(die) is not int for die in action.shown)
    ):
        raise MalformedError(f"dice are shown with a bid, as faces in a tuple, not {described(action)}")
    _bid(state, seat, action.bid)
    reason = show_refusal(state, state.hands[seat], action)
    if reason is not None:
        raise IllegalActionError(reason)
    return [BidMade(seat, action.bid, action.shown)]


def _challenge(state: State, seat: int, action: Challenge) -> list[Event]:
    if type(action.double) is not bool:
        raise MalformedError(f"a challenge is for twice the stake or not, True or False, not {action.double!r:.80}")
    who: WhoCalls | UnsetType | None = state.ruleset.challenge.double if action.double else state.ruleset.challenge.who
    assert isinstance(who, WhoCalls)
    _require_bidding(state, "challenge")
    if seat not in (doublers(state) if action.double else challengers(state)):
        _refuse_call(state, seat, "challenge for twice the stake" if action.double else "challenge", who)
    bidder, bid = state.bids[-1]
    double: bool | UnsetType = action.double or UNSET
    call = Challenged(seat, bidder, bid, seat != state.turn, is_of_opening(state), double)
    if not (action.double and doubles_are_answered(state.ruleset)):
        return [call, *settle(state, call)]
    doubled = Doubled(seat, bidder, bid, seat != state.turn)
    return [doubled] if state.dice[bidder] else [doubled, call, *settle(state, call)]


def _exact(state: State, seat: int) -> list[Event]:
    exact = state.ruleset.exact_call
    assert exact is not None
    _require_bidding(state, "call exact")
    if state.claimed:
        raise IllegalActionError("the bid is claimed to be exactly right already (doubt it or bid higher)")
    if seat not in exact_callers(state):
        reason = exact_call_refusal(state, exact) or exact_call_refusal_for_seat(state, exact, seat)
        if reason:
            raise IllegalActionError(f"{state.names[seat]} may not call exact: {reason}")
        _refuse_call(state, seat, "call exact", exact.who)
    bidder, bid = state.bids[-1]
    call = ExactCalled(seat, bidder, bid, seat != state.turn)
    return [call, *settle(state, call)]


def _claim_exact(state: State, seat: int) -> list[Event]:
    exact, name = state.ruleset.exact_call, state.names[seat]
    assert exact is not None
    _require_bidding(state, "claim a bid to be exactly right")
    if seat in claimants(state):
        bidder, bid = state.bids[-1]
        return [ExactClaimed(seat, bidder, bid)]
    if not state.bids:
        raise IllegalActionError("there is no bid to claim exactly right yet (the round opens with a bid)")
    if state.claimed:
        raise IllegalActionError("the bid is claimed to be exactly right already (doubt it or bid higher)")
    if exact_claim(state.ruleset) is ExactClaim.BIDDER:
        may = "only the bidder, until the next player has answered"
    else:
        may = "only the player on turn, and not about their own bid"
    reason = exact_call_refusal(state, exact) or exact_call_refusal_for_seat(state, exact, seat) or may
    raise IllegalActionError(f"{name} may not claim the bid to be exactly right: {reason}")


def _pass(state: State, seat: int) -> list[Event]:
    name = state.names[seat]
    _require_bidding(state, "pass")
    if seat != state.turn:
        raise IllegalActionError(f"{name} may not pass: it is the turn of {state.names[state.turn]}")
    reason = pass_refusal(state)
    if reason is not None:
        raise IllegalActionError(f"{name} may not pass: {reason}")
    return [Passed(seat)]


def _challenge_pass(state: State, seat: int) -> list[Event]:
    _require_bidding(state, "doubt a pass")
    if state.passer is None:
        raise IllegalActionError("there is no pass to doubt (only that of the player before can be doubted)")
    if seat != state.turn:
        turn = state.names[state.turn]
        raise IllegalActionError(f"{state.names[seat]} may not doubt the pass: only {turn}, whose turn it is, may")
    call = PassChallenged(seat, state.passer)
    return [call, *settle(state, call)]


def _refuse_call(state: State, seat: int, call: str, who: WhoCalls | WhoCallsExact) -> NoReturn:
    if not state.bids:
        raise IllegalActionError(f"there is no bid to {call} yet (the round opens with a bid)")
    raise IllegalActionError(f"{state.names[seat]} may not {call}: {_allowed_callers(state, who)} may")


def _allowed_callers(state: State, who: WhoCalls | WhoCallsExact) -> str:
    turn, bidder = state.names[state.turn], state.names[state.bids[-1][0]]
    match who:
        case WhoCalls.NEXT_PLAYER | WhoCallsExact.NEXT_PLAYER if state.turn == state.bidder:
            return f"nobody calls while it is the turn of the bidder, {bidder}, so nobody"
        case WhoCalls.NEXT_PLAYER | WhoCallsExact.NEXT_PLAYER:
            return f"only {turn}, whose turn it is,"
        case WhoCalls.ANYONE_BUT_BIDDER | WhoCallsExact.ANYONE_BUT_BIDDER:
            return f"anyone but the bidder, {bidder},"
        case WhoCallsExact.OUT_OF_TURN:
            return f"anyone but the bidder, {bidder}, and {turn}, whose turn it is,"


def _set_direction(state: State, seat: int, direction: Direction) -> list[Event]:
    _require_bidding(state, "choose the direction")
    if seat != state.turn or direction not in directions(state):
        raise IllegalActionError(
            f"{state.names[seat]} may not choose the direction: only the starter of "
            f"{'a' if state.ruleset.turn.starter_may_reverse is True else 'the first'} round may, once, before it bids"
        )
    return [DirectionSet(seat, direction)]


def _declare_special(state: State, seat: int) -> list[Event]:
    _require_bidding(state, "declare a special round")
    if seat != state.turn or not may_declare(state):
        noun = "life" if state.lives else "die"
        raise IllegalActionError(
            f"{state.names[seat]} may not declare a special round: only who opens with one {noun} left may, "
            "before it bids, as often and with as many players as special_round says"
        )
    return [SpecialDeclared(seat)]


def _choose_kind(state: State, seat: int, action: ChooseKind) -> list[Event]:
    _require_bidding(state, "choose the kind of the round", choosing=True)
    kind, name = action.kind, state.names[seat]
    if not isinstance(kind, RoundKind):
        raise MalformedError(f"the kind of a round is one of {', '.join(map(str, RoundKind))}, not {kind!r:.80}")
    if not state.kinds or seat != state.turn:
        raise IllegalActionError(
            f"{name} may not choose the kind of the round: only the opener of a special round may, once, before it bids"
        )
    if kind not in state.kinds:
        raise IllegalActionError(
            f"this round is a special one: {name} chooses {' or '.join(map(str, state.kinds))}, not {kind}"
        )
    special_seat = seat if state.special_seat is None else state.special_seat
    return [KindChosen(seat, kind, blind_seats(kind, state.dice, state.stakes, special_seat))]


def _reroll(state: State, seat: int) -> list[Event]:
    _require_bidding(state, "roll a hand again")
    name = state.names[seat]
    if seat != state.turn:
        raise IllegalActionError(f"{name} may not roll again: it is the turn of {state.names[state.turn]}")
    reason = reroll_refusal(state)
    if reason is not None:
        raise IllegalActionError(f"{name} may not roll again: {reason}")
    return [Rerolled(seat)]


def _penalise(state: State, seat: int, action: Penalise) -> list[Event]:
    rules, name = state.ruleset, state.names[seat]
    penalty = find_penalty(penalties_now(state), action.trigger, action.offence)
    if penalty is None:
        known = ", ".join(_penalty_text(*known.punishes) for known in penalties_now(state)) or "none now"
        punished = _penalty_text(action.trigger, action.offence)
        raise IllegalActionError(f"there is no penalty for {punished} (penalties: {known})")
    dice = penalty.dice
    if rules.penalty_timing is PenaltyTiming.END_OF_ROUND:
        if action.taken:
            raise MalformedError("no dice are picked for a penalty that is taken at the end of the round")
        return [Penalised(seat, action.trigger, dice, offence=penalty.offence)]
    dice = min(dice, state.stakes[seat])
    taken_count = dice if state.phase is Phase.BIDDING and not state.lives else 0
    positions = set(action.taken)
    is_pick = len(action.taken) == len(positions) == taken_count and positions <= set(range(state.dice[seat]))
    if not is_pick:
        raise MalformedError(
            f"the dealer picks {taken_count} of the {state.dice[seat]} dice of {name}, not {action.taken!r}"
        )
    settlement = Settlement(state)
    settlement.lose(seat, dice, Cause.PENALTY)
    settlement.eliminate(state.stakes)
    settlement.end_if_decided()
    taken = Penalised(seat, action.trigger, dice, immediate=True, taken=action.taken, offence=penalty.offence)
    return [taken, *settlement.events]


def _penalty_text(trigger: PenaltyTrigger, offence: str) -> str:
    return f"{trigger} ({offence!r:.60})" if offence else str(trigger)


def _require_bidding(state: State, action: str, *, choosing: bool = False) -> None:
    match state.phase:
        case Phase.BIDDING if state.kinds and not choosing:
            raise IllegalActionError(
                f"nobody can {action} now: {state.names[state.turn]} says first which kind of round it is"
            )
        case Phase.BIDDING if state.doubled_by is None:
            return
        case Phase.BIDDING:
            raise IllegalActionError(
                f"nobody can {action} now: {state.names[state.turn]} answers the challenge for twice the stake first"
            )
        case Phase.OVER:
            raise IllegalActionError(f"nobody can {action}: the match is over")
        case Phase.ROLL_AGAIN:
            raise IllegalActionError(f"nobody can {action} now: a player rolls dice again first")
        case Phase.DEAL:
            raise IllegalActionError(f"nobody can {action} now: the next round has not been dealt")
        case Phase.STARTER:
            raise IllegalActionError(f"nobody can {action} now: the first starter is not known yet")

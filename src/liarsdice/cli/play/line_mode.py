"""Plays a match line by line: for pipes, screen readers and terminals that cannot show a full screen."""

from __future__ import annotations

import shlex

import msgspec

from liarsdice.cli.play.chart import chart_lines, legal_bids_text
from liarsdice.cli.play.lines import QuitRequested, call_words, normalized_word, print_lines, read_line
from liarsdice.cli.play.match_driver import MatchDriver, NextStep
from liarsdice.cli.play.table_text import (
    counts_text,
    late_call_message,
    mustache_symbol,
    own_dice_text,
    placings_text,
    show_help,
    show_hint,
    wilds_off_message,
)
from liarsdice.core.actions import PlayerAction, SetDirection
from liarsdice.core.bids.notation import MAX_QUOTE_LENGTH, WORDS, parse
from liarsdice.core.engine.view import EventView, View
from liarsdice.core.errors import IllegalActionError, MalformedError, NotationError
from liarsdice.core.events import (
    BidMade,
    Challenged,
    DoubleAnswered,
    Doubled,
    ExactCalled,
    MatchEnded,
    PassChallenged,
    Revealed,
    RoundStarted,
)
from liarsdice.core.rules.call_words import CHART, HELP_WORDS, PENALTY, PENALTY_WORDS, QUIT, RULES, TABLE
from liarsdice.core.rules.choices import Direction, RoundKind
from liarsdice.core.rules.meaning import has_passes, kind_is_chosen, special_round_is_declared
from liarsdice.core.rules.parts import Penalty
from liarsdice.core.text.narration import bid_name, face_name, narrate, penalty_reason, summarise_call
from liarsdice.core.text.rulebook import Rulebook, rulebook, to_text
from liarsdice.core.text.rulebook.english import number
from liarsdice.core.text.turn_text import hidden_dice_text

HELP = """\
  5x4               bid five fours (the number of dice comes first)
  {calls}
  dice, chart       your dice and the table; the legal bids of each face (5x4+ means five or more fours)
  ?                 the rules of this game; ?bids, or another word, shows the rules about it
  {penalty}quit              quit; the match is saved and can be continued later"""


class LineMode:
    """Plays a match as text: it prints sentences and reads moves in notation."""

    def __init__(self, driver: MatchDriver) -> None:
        self.driver = driver
        self.narrator = driver.narrator

    def play(self) -> None:
        """Play the match to its end. Raises `QuitRequested` if the player quits or the input ends before that."""
        print_lines(narrate(self.driver.events[0], self.narrator) + " Type ? for the rules, help for the commands.")
        print_lines("A plus means “or more”: 1x3+ stands for one three, two threes and so on.")
        if len(self.driver.events) > 1:
            self._print_earlier_events()
        while (step := self.driver.next_step) is not NextStep.OVER:
            match step:
                case NextStep.DEAL:
                    self._print_events(self.driver.deal())
                case NextStep.CHOOSE_STARTER:
                    self._ask_starter()
                case NextStep.OWN_TURN:
                    self._ask_move()
                case NextStep.CALL_OUT_OF_TURN:
                    self._ask_call()
                case NextStep.BOTS:
                    self._print_events(self.driver.bots_act())
        print_lines(placings_text(self.driver.view, self.driver.events, self.narrator))
        print_lines(f"To see the match on one line: liarsdice replay --line {shlex.quote(str(self.driver.path))}")

    def _print_events(self, events: list[EventView], *, own: bool = False) -> None:
        for fault in self.driver.faults():
            print_lines(f"! {fault}")
        if len(events) > 1 and isinstance(events[0], Doubled | DoubleAnswered) and isinstance(events[1], Challenged):
            print_lines(narrate(events[0], self.narrator))
            events = events[1:]
        if events and isinstance(events[0], Challenged | ExactCalled | PassChallenged):
            print_lines(narrate(events[0], self.narrator))
            if own and events[0].seat != self.driver.you:
                print_lines(late_call_message(events[0], self.narrator))
            self._print_reveal(events)
            events = [event for event in events if isinstance(event, MatchEnded)]
        for event in events:
            if isinstance(event, RoundStarted):
                self._print_round(event)
            else:
                print_lines(narrate(event, self.narrator))
                if isinstance(event, BidMade) and self.driver.wilds_just_ended:
                    print_lines(wilds_off_message(self.narrator.rules))

    def _print_round(self, event: RoundStarted) -> None:
        print_lines(f"\n{narrate(event, self.narrator)}")
        print_lines(counts_text(event.dice, self.driver.view, self.narrator))
        symbol = mustache_symbol(self.narrator.rules)
        if event.special_seat is not None and symbol:
            print_lines("Everyone wears one:  " + "  ".join(f"{name} {symbol}" for name in self._names()))

    def _print_reveal(self, events: list[EventView]) -> None:
        reveal = events[1]
        assert isinstance(reveal, Revealed)
        for name, hand, marked, counted in zip(self._names(), reveal.hands, reveal.marked, reveal.counted, strict=True):
            if hand:
                dice = " ".join(f"{die}{'*' if index in marked else ''}" for index, die in enumerate(hand))
                print_lines(f"  {name}: {dice}  ({number(counted) if counted else 'none'})")
        print_lines(narrate(reveal, self.narrator) + (" (Dice with * count.)" if any(reveal.marked) else ""))
        print_lines(summarise_call(events, self.narrator))

    def _print_earlier_events(self) -> None:
        view = self.driver.view
        print_lines(f"The match continues in round {view.round_number}.")
        for seat, bid in view.bids:
            print_lines(f"{self.narrator.list_name(seat)} bid {bid_name(view.ruleset, bid)}.")
        for seat, place in view.passes:
            print_lines(f"{self.narrator.list_name(seat)} passed after bid {place}.")
        if view.ruleset.wilds.special_is_wild and not view.wilds_count:
            print_lines(wilds_off_message(view.ruleset))

    def _names(self) -> list[str]:
        return [self.narrator.list_name(seat) for seat in range(len(self.narrator.names))]

    def _print_table(self, view: View) -> None:
        print_lines(f"{counts_text(view.dice, view, self.narrator)} Play goes {view.direction}.")
        if view.wilds_count:
            print_lines(f"{face_name(view.ruleset, view.ruleset.dice.special_face).capitalize()} are wild.")
        elif view.ruleset.wilds.special_is_wild:
            print_lines(wilds_off_message(view.ruleset))

    def _status(self, view: View) -> str:
        own = hidden_dice_text(view) or own_dice_text(view)
        if view.bid is None or view.bidder is None:
            return own
        return f"{own} {self.narrator.list_name(view.bidder)} bid {bid_name(view.ruleset, view.bid)} ({view.bid})."

    def _ask_move(self) -> None:
        view = self.driver.view
        words = [self._word_label(word) for word, action in WORDS.items() if action in view.moves]
        bids = f"bid {legal_bids_text(view)}{show_hint(view)}" if view.may_bid else ""
        print_lines(f"{self._status(view)} You may {' or '.join(filter(None, [bids, ', '.join(words)]))}.")
        self._read_and_act("your move> ")

    def _ask_call(self) -> None:
        view = self.driver.view
        words = [self._word_label(word) for word, action in WORDS.items() if action in view.moves]
        print_lines(
            f"{self._status(view)} Out of turn you may say {' or '.join(words)}, or press Enter to let it stand."
        )
        self._read_and_act("call?> ")

    def _read_and_act(self, prompt: str) -> None:
        """Read one line and act on it. Prints a message for an illegal line; the caller asks again."""
        line = self._read_answer(prompt)
        try:
            if line.lower().startswith(PENALTY):
                self._print_events(self.driver.report_penalty(self._parse_penalty(line)))
            elif line:
                self._print_events(self.driver.act(self._parse_action(line)), own=True)
            elif self.driver.next_step is NextStep.CALL_OUT_OF_TURN:
                self._print_events(self.driver.let_bid_stand())
        except (IllegalActionError, MalformedError) as error:
            print_lines(f"! {self.driver.error_text(error)}")

    def _parse_action(self, line: str) -> PlayerAction:
        try:
            return parse(call_words(self.narrator.rules).get(normalized_word(line), line))
        except NotationError:
            quoted = line if len(line) <= MAX_QUOTE_LENGTH else line[:MAX_QUOTE_LENGTH] + "…"
            raise NotationError(f"cannot read {quoted!r} (write {', '.join(self._known_inputs())})") from None

    def _known_inputs(self) -> list[str]:
        """Return all moves that can be written under these rules."""
        rules = self.narrator.rules
        directions = [direction.value for direction in Direction] if rules.turn.starter_may_reverse else []
        passes = ["pass", "doubt"] if has_passes(rules) else []
        words = ["liar", *(["exact"] if rules.exact_call is not None else []), *passes, *directions]
        return ["5x4 for five fours", *map(self._word_label, words)]

    def _word_label(self, word: str) -> str:
        """Return a word of the notation, after the word that these rules use for it if that is another one."""
        labels = self.narrator.rules.labels
        label = normalized_word({"liar": labels.challenge, "exact": labels.exact}.get(word, word))
        return word if label == word else f"{label} ({word})"

    def _parse_penalty(self, line: str) -> Penalty:
        penalties = self.driver.view.ruleset.penalties
        if not penalties:
            raise IllegalActionError("these rules have no penalties")
        written = line.casefold().removeprefix(PENALTY).strip()
        for penalty in penalties:
            trigger, offence = penalty.punishes
            if written in ({offence.casefold()} if offence else {trigger.value, PENALTY_WORDS[trigger]}):
                return penalty
        choices = [
            f"penalty {penalty.offence or PENALTY_WORDS[penalty.trigger]} for {penalty_reason(*penalty.punishes)}"
            for penalty in penalties
        ]
        raise NotationError(f"which penalty? Write {' or '.join(choices)}")

    def _ask_starter(self) -> None:
        names = self._names()
        print_lines(f"Who starts? {', '.join(names)}; Enter draws lots.")
        line = self._read_answer("who starts?> ").lower()
        seats = [seat for seat, name in enumerate(names) if name.lower() == line]
        if line and not seats:
            print_lines(f"! no player is called {line!r}")
        else:
            self._print_events(self.driver.choose_starter(seats[0] if seats else None))

    def _read_answer(self, prompt: str) -> str:
        """Read lines until one is no question about the table, which are answered here, and return it.

        Raises `QuitRequested` if the player quits or the input ends.
        """
        while True:
            line = read_line(prompt)
            view = self.driver.view
            match line.lower():
                case question if "?" in question:
                    print_lines(to_text(_matching_sections(rulebook(view.ruleset), question)))
                case word if word in QUIT:
                    raise QuitRequested
                case word if word == RULES:
                    print_lines(to_text(rulebook(view.ruleset)))
                case word if word == CHART:
                    print_lines("\n".join(chart_lines(view, self.narrator)))
                case word if word in TABLE:
                    print_lines(self._status(view))
                    self._print_table(view)
                case word if word in HELP_WORDS:
                    print_lines(self._help_text(view))
                case _:
                    return line

    def _help_text(self, view: View) -> str:
        labels = self.narrator.rules.labels
        calls = [*show_help(view.ruleset), f"{'liar':17} challenge the standing bid ({labels.challenge})"]
        if view.ruleset.exact_call is not None:
            calls.append(f"{'exact':17} say that it is exactly right ({labels.exact})")
        calls += [
            f"{word:17} choose the direction, before the first bid of a round you open"
            for word, action in WORDS.items()
            if isinstance(action, SetDirection) and view.ruleset.turn.starter_may_reverse
        ]
        if kind_is_chosen(view.ruleset):
            calls += [f"{kind:17} choose the kind of a special round that you open" for kind in RoundKind]
        elif special_round_is_declared(view.ruleset):
            calls.append(f"{'special':17} declare a round that you open with your last die ({labels.special_round})")
        penalty = "penalty …         report a penalty that you owe\n  " if view.ruleset.penalties else ""
        return HELP.format(calls="\n  ".join(calls), penalty=penalty)


def _matching_sections(book: Rulebook, question: str) -> Rulebook:
    """Return the sections with the word of the question in their titles, else in their text, else all sections."""
    word = question.replace("?", " ").strip(" !.")
    by_title = [section for section in book.sections if word in section.title.lower()]
    by_text = [section for section in book.sections if any(word in part.text.lower() for part in section.sentences)]
    return msgspec.structs.replace(book, sections=tuple(by_title or by_text or book.sections))

"""The dialogs of the full-screen table: a list to choose from, and a text to scroll."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import OptionList, Static


class ChoiceDialog(ModalScreen[int | None]):
    """A list of entries. The result is the index of the chosen one, or None if the player leaves."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss_with_none", "back")]

    def __init__(self, question: str, entries: Sequence[str], *, hint: str = "arrows move, Enter chooses") -> None:
        super().__init__()
        self.question = question
        self.entries = entries
        self.hint = hint

    def compose(self) -> ComposeResult:
        """Yield the question, the entries and the key hints."""
        with Vertical(classes="dialog"):
            yield Static(self.question, classes="question", markup=False)
            yield OptionList(*self.entries, markup=False)
            yield Static(self.hint, classes="hint", markup=False)

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Mark the highlighted entry with a sign, for players who see no colour."""
        for index, entry in enumerate(self.entries):
            mark = "▸" if index == event.option_index else " "
            event.option_list.replace_option_prompt_at_index(index, f"{mark} {entry}")

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Return the index of the entry."""
        _ = self.dismiss(event.option_index)

    def action_dismiss_with_none(self) -> None:
        """Return None."""
        _ = self.dismiss(None)


class TextPage(ModalScreen[None]):
    """A text to scroll through."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,enter,question_mark", "close_page", "back to the table"),
    ]

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text

    def compose(self) -> ComposeResult:
        """Yield the text and the key hints."""
        with Vertical(classes="page"):
            with VerticalScroll():
                yield Static(self.text, markup=False)
            yield Static("arrows scroll, Enter closes", classes="hint", markup=False)

    def on_mount(self) -> None:
        """Focus the text, so that the arrow keys scroll it."""
        self.query_one(VerticalScroll).focus()

    def action_close_page(self) -> None:
        """Close the page."""
        _ = self.dismiss(None)

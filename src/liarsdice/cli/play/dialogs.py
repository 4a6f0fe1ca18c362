"""What lies over the table for a moment: a list to choose from, a page to read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import OptionList, Static


class Choose(ModalScreen[int | None]):
    """A list of which one entry is chosen, by its place; None when nothing is."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss_with_none", "back")]

    def __init__(self, question: str, entries: Sequence[str], *, hint: str = "arrows and Enter choose") -> None:
        super().__init__()
        self.question = question
        self.entries = entries
        self.hint = hint

    def compose(self) -> ComposeResult:
        """A question, its answers, and which keys work."""
        with Vertical(classes="dialog"):
            yield Static(self.question, classes="question", markup=False)
            yield OptionList(*self.entries, markup=False)
            yield Static(self.hint, classes="hint", markup=False)

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Mark the entry that Enter chooses, for those who see no colour."""
        for place, entry in enumerate(self.entries):
            mark = "▸" if place == event.option_index else " "
            event.option_list.replace_option_prompt_at_index(place, f"{mark} {entry}")

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Answer with the place of the entry."""
        _ = self.dismiss(event.option_index)

    def action_dismiss_with_none(self) -> None:
        """Answer nothing."""
        _ = self.dismiss(None)


class Page(ModalScreen[None]):
    """A text to scroll through."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,enter,question_mark", "close_page", "back to the table"),
    ]

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text

    def compose(self) -> ComposeResult:
        """The text, and which keys work."""
        with Vertical(classes="page"):
            with VerticalScroll():
                yield Static(self.text, markup=False)
            yield Static("arrows scroll, Enter goes back", classes="hint", markup=False)

    def on_mount(self) -> None:
        """Let the arrows scroll at once."""
        self.query_one(VerticalScroll).focus()

    def action_close_page(self) -> None:
        """Go back."""
        _ = self.dismiss(None)

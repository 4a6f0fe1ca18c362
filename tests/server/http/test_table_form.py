"""The form that opens a table is read with its defaults, and bounded before anything is made of it."""

import pytest

from liarsdice.core.errors import MalformedError
from liarsdice.play.player_names import normalize_name
from liarsdice.server.http import api
from liarsdice.server.http.api import default_title, read_table_form
from liarsdice.server.http.schemas import TableForm


def test_a_form_without_wishes_gives_a_table_with_the_usual_settings() -> None:
    config = read_table_form(TableForm(name="Ann"))
    assert (config.title, config.rules_name, config.rules_base, config.seats) == ("Ann’s table", "classic", "", 6)


@pytest.mark.parametrize("name", ["👨‍👩‍👧‍👦" * 40, "e\u0301x" * 14, "a" * 40])
def test_the_usual_title_of_a_long_name_is_cut_between_characters(name: str) -> None:
    title = default_title(name)
    assert normalize_name(title)
    assert title.startswith(name[:30])


def test_changed_rules_are_house_rules_based_on_their_preset() -> None:
    config = read_table_form(TableForm(name="Ann", rules="perudo", changes={"dice.per_player": 3}))
    assert (config.rules_name, config.rules_base, config.ruleset.dice.per_player) == ("", "perudo", 3)


def test_more_bots_than_any_table_seats_are_refused_before_one_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    monkeypatch.setattr(api, "make_bot", made.append)
    with pytest.raises(MalformedError, match="do not fit"):
        read_table_form(TableForm(name="Ann", bots=("novice",) * 5000))
    assert made == []

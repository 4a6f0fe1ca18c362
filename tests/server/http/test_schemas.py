"""Request bodies with an unknown field are refused."""

from typing import Any

import msgspec
import pytest

from liarsdice.server.http.schemas import SeatForm, TableForm, TicketForm
from liarsdice.server.rules.rules_api import RulesForm

FORMS: tuple[tuple[type[msgspec.Struct], dict[str, Any]], ...] = (
    (RulesForm, {"rules": "perudo"}),
    (TableForm, {"name": "Ann"}),
    (SeatForm, {"name": "Ann", "id": "1"}),
    (TicketForm, {"ticket": "x"}),
)


@pytest.mark.parametrize("form, body", FORMS, ids=lambda part: getattr(part, "__name__", ""))
def test_an_unknown_field_is_refused(form: type[msgspec.Struct], body: dict[str, Any]) -> None:
    assert isinstance(msgspec.convert(body, form), form)
    with pytest.raises(msgspec.ValidationError, match="admin"):
        msgspec.convert(body | {"admin": True}, form)

"""Messages are one printable line, whatever they quote."""

import pytest

from liarsdice.core.errors import LiarsDiceError, MalformedError, RecordError
from liarsdice.core.records.record import read_record
from liarsdice.core.rules.ruleset_io import from_json, from_toml

STEERING = "\\u001b]0;mine\\u0007\\u001b[2J"


@pytest.mark.parametrize("text", [f'"{STEERING}" = 1', f'[dice]\n"{STEERING}" = 1', f'[bidding]\nraise = "{STEERING}"'])
def test_a_file_of_rules_cannot_steer_the_terminal_by_what_it_is_refused_for(text: str) -> None:
    with pytest.raises(LiarsDiceError) as refused:
        from_toml(text)
    assert str(refused.value).isprintable()


def test_a_record_cannot_steer_the_terminal_either() -> None:
    with pytest.raises(RecordError) as refused:
        read_record(f'{{"record":"{STEERING}","format":1,"engine":"0"}}\n')
    assert str(refused.value).isprintable()
    with pytest.raises(MalformedError) as malformed:
        from_json(f'{{"{STEERING}": 1}}')
    assert str(malformed.value).isprintable()

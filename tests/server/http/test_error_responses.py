"""The description of the HTTP API names every status that an error can have."""

from liarsdice.server.http.error_responses import ERRORS, STATUS


def test_every_status_of_an_error_is_described() -> None:
    assert set(STATUS.values()) <= set(ERRORS)

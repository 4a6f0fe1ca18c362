"""What nodes send each other keeps its form: nodes of two releases serve the same tables during an upgrade."""

from liarsdice.server.bus.event_bus import TABLES
from liarsdice.server.bus.messages import decode_payload, encode_payloads
from liarsdice.server.bus.postgres_bus import CHANNEL
from liarsdice.server.bus_url import DEFAULT_CHANNEL
from liarsdice.server.storage.postgres_connections import LOCK_KEY, MIGRATION_KEY

PAYLOAD = b'["1f0aea2c",[["tables","ABCD","17"],["presence","1f0aea2c","[1,[]]"]]]'
MESSAGES = [("tables", "ABCD", "17"), ("presence", "1f0aea2c", "[1,[]]")]


def test_payloads_have_the_form_of_the_first_release_with_several_nodes() -> None:
    assert decode_payload(PAYLOAD) == ("1f0aea2c", MESSAGES)
    assert list(encode_payloads("1f0aea2c", MESSAGES)) == [PAYLOAD]


def test_nodes_of_all_releases_meet_at_the_same_places() -> None:
    assert (CHANNEL, DEFAULT_CHANNEL, TABLES) == ("liarsdice", "liarsdice", "tables")
    assert (LOCK_KEY, MIGRATION_KEY) == (0x6C69617273, 0x6C69617274)

"""An event bus within one process, for tests of several nodes and for a node alone."""

from liarsdice.server.bus.event_bus import LocalEventBus


def test_a_message_reaches_every_node_but_its_own() -> None:
    nodes: list[LocalEventBus] = []
    buses = [LocalEventBus(nodes) for _ in range(3)]
    received: list[list[tuple[str, str, str]]] = [[] for _ in buses]
    for bus, messages in zip(buses, received, strict=True):
        bus.subscribe("tables", lambda *message, kept=messages: kept.append(message))
    buses[0].publish("tables", "ABCD", "7")
    buses[1].publish("others", "ABCD", "8")
    assert received == [[], [("ABCD", "7", buses[0].node_id)], [("ABCD", "7", buses[0].node_id)]]


def test_every_node_has_an_id_of_its_own() -> None:
    assert LocalEventBus().node_id != LocalEventBus().node_id

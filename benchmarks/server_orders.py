"""The orders to the clients of `benchmarks.server`, and what they answer, as JSON."""

import msgspec


class Crowd(msgspec.Struct, frozen=True):
    """Which clients connect: six at each of `tables` tables, whose codes are those from number `first` on.

    `ports`: those of the servers. All clients of a table connect to one of them, or if they are `mixed`, to one after
    the other. `echo`: the server is a bare echo.
    """

    ports: tuple[int, ...]
    tables: int
    first: int = 0
    mixed: bool = False
    echo: bool = False


class Order(msgspec.Struct, tag_field="order"):
    """An order to the clients."""


class Act(Order, tag="act"):
    """Make `per_s` moves a second at all tables together; measure for `for_s` seconds after the first `warm_s`."""

    per_s: float
    warm_s: float
    for_s: float


class Flood(Act, tag="flood"):
    """As `Act`, while one more client sends `flood_per_s` messages a second."""

    flood_per_s: float = 10_000


class Measured(msgspec.Struct):
    """The result. Times are from an action until everybody has its update. `late`: moves when no table was ready."""

    actions: int
    late: int
    p50_ms: float
    p99_ms: float
    most_ms: float
    frames: int
    frame_bytes: int
    problems: int
    crowd_cpu: float
    flood_sent: int = 0
    flood_connections: int = 0


ORDER_DECODER = msgspec.json.Decoder(Act | Flood)

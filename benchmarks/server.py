"""How many tables of six one core serves, and how soon all six have the update of an action.

The server has one core, the clients have the other. `--full` measures the whole curve, which takes minutes.
"""

import argparse
import asyncio
import gc
import os
import resource

import uvloop

from benchmarks.figures import Figures, save_figures
from benchmarks.server_clients import Clients
from benchmarks.server_process import SEATS, ServerProcess, pin_to_core, running_server

ACTION_EVERY_S = 4
WARM_S = 2.0
SPARE_FILES = 300
SHORT = (400, 3.0, (1000, 2000, 4000))
FULL = (4000, 6.0, (500, 1000, 2000, 4000))
"""How many tables are connected, for how many seconds each run is measured, and the tables whose actions are sent."""
TURNS = 3
PACKAGES = ("liarsdice", "litestar", "msgspec", "uvicorn", "uvloop", "websockets")


async def measure(tables: int, for_s: float, loads: tuple[int, ...], core: int | None) -> dict[str, Figures]:
    """Connect the clients to a server on a core; return the memory, and the run with the median p99 of each load."""
    async with running_server(tables, core) as server:
        clients = Clients(server.port, tables)
        idle_kb = server.memory_kb()
        await clients.connect(range(1))
        loaded_kb = server.memory_kb()
        await clients.connect(range(1, SEATS))
        connection_kb = (server.memory_kb() - loaded_kb) / (tables * (SEATS - 1))
        gc.collect()
        gc.freeze()
        figures: dict[str, Figures] = {
            "memory": {
                "connections": tables * SEATS,
                "kb_per_connection": round(connection_kb, 1),
                "kb_per_table": round((loaded_kb - idle_kb) / tables - connection_kb, 1),
            }
        }
        for load in loads:
            runs = [await run(server, clients, load / ACTION_EVERY_S, for_s) for _ in range(TURNS)]
            runs.sort(key=lambda run: run["p99_ms"])
            figures[f"{load} tables"] = {**runs[TURNS // 2], "worst_p99_ms": runs[-1]["p99_ms"]}
    return figures


async def run(server: ServerProcess, clients: Clients, per_s: float, for_s: float) -> dict[str, float]:
    """Let the clients act; return what they measured and the CPU time of the server."""
    await clients.act(per_s, WARM_S)
    before_s = server.cpu_s()
    measured = await clients.act(per_s, for_s)
    cpu_s = server.cpu_s() - before_s
    return {
        "actions_per_s": round(measured.actions / for_s),
        "p50_ms": measured.p50_ms,
        "p99_ms": measured.p99_ms,
        "late": measured.late,
        "problems": measured.problems,
        "server_cores": round(cpu_s / for_s, 3),
        "server_us_per_action": round(1e6 * cpu_s / max(1, measured.actions)),
    }


def table_count(limit: int) -> int:
    """Return this number of tables, or as many as this system allows one process to have connections for."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    return limit if most == resource.RLIM_INFINITY else min(limit, (most - SPARE_FILES) // SEATS)


def main() -> None:
    """Measure and save the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true", help="the whole curve, with as many connections as may be")
    tables, for_s, loads = FULL if parser.parse_args().full else SHORT
    cores = sorted(os.sched_getaffinity(0))
    first, second = (cores[0], cores[1]) if len(cores) > 1 else (None, None)
    pin_to_core(second)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        figures = runner.run(measure(table_count(tables), for_s, loads, first))
    save_figures("server", figures, packages=PACKAGES)


if __name__ == "__main__":
    main()

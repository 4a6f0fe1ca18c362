"""The systemd units run commands that exist, without rights that they do not need."""

import configparser
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from liarsdice.server.run import STOP_TIMEOUT_S
from liarsdice.server.services import CLOSE_TIMEOUT_S
from tests.deploy.deployment import DEPLOY, is_command, read_variables, settings_of

SERVICES = ["liarsdice.service", "liarsdice-backup.service"]
UNITS = [*SERVICES, "liarsdice-backup.timer"]
PROGRAM = "/opt/liarsdice/bin/liarsdice"


class UnitParser(configparser.RawConfigParser):
    """Reads a unit. The names of its options keep their capitals."""

    def optionxform(self, optionstr: str) -> str:
        return optionstr


def read_unit(name: str) -> UnitParser:
    unit = UnitParser(delimiters=("=",), comment_prefixes=("#",))
    unit.read_string((DEPLOY / name).read_text(encoding="utf-8"), name)
    return unit


def variables_of(unit: UnitParser) -> dict[str, str]:
    return read_variables(unit["Service"]["Environment"].replace("\\\n", " ").split())


@pytest.mark.parametrize("name", UNITS)
def test_a_unit_has_the_sections_that_systemd_reads(name: str) -> None:
    assert set(read_unit(name).sections()) <= {"Unit", "Service", "Timer", "Install"}


def test_the_server_listens_where_the_proxies_ask_and_never_anywhere_else() -> None:
    unit = read_unit("liarsdice.service")
    settings = settings_of(variables_of(unit))
    assert (settings.host, settings.port) == ("127.0.0.1", 8000)
    assert settings.database == Path("/var/lib") / unit["Service"]["StateDirectory"] / "server.db"


def test_the_server_is_started_again_for_as_long_as_its_database_is_away() -> None:
    """By default, systemd gives up after five starts in ten seconds."""
    unit = read_unit("liarsdice.service")
    assert unit["Unit"]["StartLimitIntervalSec"] == "0"
    assert unit["Service"]["Restart"] == "on-failure"
    assert int(unit["Service"]["RestartSec"]) > 0


def test_the_units_run_commands_that_exist() -> None:
    assert shlex.split(read_unit("liarsdice.service")["Service"]["ExecStart"]) == [PROGRAM, "serve"]
    script = shlex.split(read_unit("liarsdice-backup.service")["Service"]["ExecStart"])[2]
    assert script.startswith(f"exec {PROGRAM} admin backup ")
    assert is_command("serve")
    assert is_command("admin", "backup")
    assert not is_command("admin", "copy")


def test_the_server_gets_the_time_that_it_takes_to_stop() -> None:
    assert int(read_unit("liarsdice.service")["Service"]["TimeoutStopSec"]) > STOP_TIMEOUT_S + CLOSE_TIMEOUT_S


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_has_an_account_without_rights(name: str) -> None:
    service = read_unit(name)["Service"]
    assert service["User"] == "liarsdice"
    assert service["CapabilityBoundingSet"] == ""
    assert service["NoNewPrivileges"] == "yes"
    assert service["ProtectSystem"] == "strict"
    assert service["UMask"] == "0077"


def test_the_backup_reads_the_database_of_the_server() -> None:
    server, backup = read_unit("liarsdice.service"), read_unit("liarsdice-backup.service")
    assert variables_of(backup)["LIARSDICE_DATABASE"] == variables_of(server)["LIARSDICE_DATABASE"]
    assert backup["Service"]["EnvironmentFile"] == server["Service"]["EnvironmentFile"]
    assert "/var/lib/liarsdice" in backup["Service"]["ReadWritePaths"].split()


def test_the_backup_reaches_a_database_on_another_machine() -> None:
    """Both units read the URL of PostgreSQL from the same file."""
    server, backup = (read_unit(name)["Service"] for name in SERVICES)
    assert "PrivateNetwork" not in backup
    assert backup["RestrictAddressFamilies"] == server["RestrictAddressFamilies"]
    assert "AF_INET" in backup["RestrictAddressFamilies"].split()


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="only systemd has systemd-analyze")
def test_systemd_accepts_the_units(tmp_path: Path) -> None:
    for name in UNITS:
        text = (DEPLOY / name).read_text(encoding="utf-8")
        (tmp_path / name).write_text(text.replace(PROGRAM, sys.executable), encoding="utf-8")
    files = [str(tmp_path / name) for name in UNITS]
    verified = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", *files], capture_output=True, text=True, check=False
    )
    assert [line for line in verified.stderr.splitlines() if "liarsdice" in line] == []
    assert verified.returncode == 0

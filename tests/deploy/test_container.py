"""The image and its Compose file: what Docker would do is read, linted, and done without Docker as far as it goes."""

import asyncio
import ipaddress
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from functools import reduce
from pathlib import Path
from typing import Any

import pytest
import yaml
from uvicorn.middleware.proxy_headers import _TrustedHosts

from liarsdice.server.run import STOP_TIMEOUT_S
from liarsdice.server.services import CLOSE_TIMEOUT_S
from tests.deploy.deployment import DEPLOY, duration_s, is_command, read_variables, settings_of
from tests.server.running_server import run_server

ROOT = DEPLOY.parent
HADOLINT = shutil.which(
    "hadolint", path=os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
)
DATABASE = Path("/var/lib/liarsdice/server.db")


def instructions() -> list[tuple[str, str]]:
    """The instructions of the Dockerfile with their arguments, each on one line."""
    text = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
    lines = re.sub(r"\\\n\s*", "", re.sub(r"^#.*\n", "", text, flags=re.MULTILINE)).splitlines()
    return [(name, rest) for name, _, rest in (line.partition(" ") for line in lines if line)]


def last(name: str) -> str:
    return [rest for instruction, rest in instructions() if instruction == name][-1]


def copied_from_repository() -> list[str]:
    """What the Dockerfile copies into its first stage, as paths from the root of the repository."""
    copies = [rest.split() for name, rest in instructions() if name == "COPY" and not rest.startswith("--from")]
    return [source for *sources, _ in copies for source in sources]


def read_compose(name: str) -> dict[str, Any]:
    """A Compose file, with `dice.example` for each variable that must be set, and defaults for the others."""
    text = (DEPLOY / name).read_text(encoding="utf-8")
    filled = re.sub(r"\$\{\w+:\?[^}]+\}", "dice.example", text)
    filled = re.sub(r"\$\{\w+:-([^}]+)\}", r"\1", filled)
    assert "$" not in filled
    parsed: dict[str, Any] = yaml.safe_load(filled)
    return parsed


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    return read_compose("compose.yaml")


@pytest.fixture(scope="module")
def postgresql() -> dict[str, Any]:
    """What `compose.postgresql.yaml` adds."""
    return read_compose("compose.postgresql.yaml")


@pytest.fixture(scope="module")
def nodes() -> dict[str, Any]:
    """What `compose.nodes.yaml` adds."""
    return read_compose("compose.nodes.yaml")


@pytest.mark.skipif(sys.platform != "linux", reason="the wheel of hadolint is for Linux")
def test_hadolint_finds_nothing_in_the_dockerfile() -> None:
    assert HADOLINT is not None, "hadolint is missing; install the extra dev"
    linted = subprocess.run(
        [HADOLINT, "--no-color", DEPLOY / "Dockerfile"], capture_output=True, text=True, check=False
    )
    assert (linted.returncode, linted.stdout) == (0, "")


def merged(base: Any, override: Any) -> Any:  # noqa: ANN401  what YAML holds
    """What Compose makes of two files: mappings are merged, everything else is replaced."""
    if not isinstance(base, dict) or not isinstance(override, dict):
        return override
    return base | {name: merged(base[name], value) if name in base else value for name, value in override.items()}


def check_schema(folder: Path, *contents: dict[str, Any]) -> subprocess.CompletedProcess[str]:
    """Compare contents of Compose files with the schema of the Compose specification."""
    files = []
    for number, content in enumerate(contents):
        files.append(folder / f"compose{number}.yaml")
        files[-1].write_text(yaml.safe_dump(content), encoding="utf-8")
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec", *map(str, files)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_compose_files_alone_and_together_follow_the_specification(tmp_path: Path) -> None:
    contents = [read_compose(file.name) for file in sorted(DEPLOY.glob("compose*.yaml"))]
    assert len(contents) == 3
    checked = check_schema(tmp_path, *contents, reduce(merged, contents))
    assert checked.returncode == 0, checked.stdout
    assert check_schema(tmp_path, merged(contents[0], {"services": {"server": {"read_onli": True}}})).returncode == 1


def test_the_image_runs_the_server_without_rights() -> None:
    assert int(last("USER").partition(":")[0]) > 0
    assert json.loads(last("ENTRYPOINT")) == ["liarsdice"]
    assert json.loads(last("CMD")) == ["serve"]
    assert is_command("serve")


def test_the_image_keeps_the_database_in_a_volume() -> None:
    settings = settings_of(read_variables(last("ENV").split()))
    assert settings.database == DATABASE
    assert str(DATABASE.parent) in json.loads(last("VOLUME"))
    assert (settings.host, str(settings.port)) == ("0.0.0.0", last("EXPOSE"))  # noqa: S104  inside its container


def test_the_context_of_the_build_has_what_the_image_copies_and_nothing_built() -> None:
    lines = (DEPLOY / "Dockerfile.dockerignore").read_text(encoding="utf-8").splitlines()
    rules = [line for line in lines if line and not line.startswith("#")]
    assert rules[0] == "*"
    assert sorted(rule[1:] for rule in rules if rule.startswith("!")) == sorted(copied_from_repository())
    assert {"src/liarsdice/server/page", "web/node_modules", "**/__pycache__"} < set(rules)


def test_the_copied_files_are_enough_to_build_the_wheel(tmp_path: Path) -> None:
    """Without the page: that needs npm, and `test_page.py` builds it."""
    for name in copied_from_repository():
        source, target = ROOT / name, tmp_path / "build" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("node_modules", "__pycache__", "page"))
        else:
            shutil.copy(source, target)
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(tmp_path)],
        cwd=tmp_path / "build",
        env=os.environ | {"SKIP_WEB": "1"},
        check=True,
        capture_output=True,
    )
    (wheel,) = tmp_path.glob("*.whl")
    assert "liarsdice/server/storage/migrations/versions/v1_tables.py" in zipfile.ZipFile(wheel).namelist()


async def test_the_health_check_follows_the_readiness_of_the_server(tmp_path: Path) -> None:
    """The check names no public host, and the server answers it nevertheless."""
    program, option, code = json.loads(last("HEALTHCHECK").partition("CMD ")[2])
    assert (program, option) == ("python", "-c")
    assert code.count("http://127.0.0.1:8000/") == 1

    def check(address: str) -> int:
        here = code.replace("http://127.0.0.1:8000", address)
        return subprocess.run([sys.executable, "-c", here], check=False, capture_output=True).returncode

    async with run_server(tmp_path / "db", public_url="https://dice.example") as server:
        assert await asyncio.to_thread(check, server.address) == 0
        assert await asyncio.to_thread(check, f"{server.address}/missing") == 1
        address = server.address
    assert await asyncio.to_thread(check, address) == 1


def test_the_server_and_bots_load_no_compiled_kernels() -> None:
    """A read-only image therefore needs no place for numba's cache."""
    code = (
        "import sys, liarsdice.server.run\n"
        "from liarsdice.server.table.bot_runner import load_bots\n"
        "load_bots()\n"
        "sys.exit('numba' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("name", ["server", "proxy"])
def test_a_service_is_read_only_without_capabilities_and_bounded(compose: dict[str, Any], name: str) -> None:
    service = compose["services"][name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service.get("cap_add", []) == ([] if name == "server" else ["NET_BIND_SERVICE"])
    assert "no-new-privileges:true" in service["security_opt"]
    assert service["ulimits"]["nofile"] >= 65536
    assert "mem_limit" in service


def test_only_the_proxy_is_reachable_from_outside(compose: dict[str, Any]) -> None:
    server, proxy = compose["services"]["server"], compose["services"]["proxy"]
    assert "ports" not in server
    assert server["networks"] == ["inside"]
    assert compose["networks"]["inside"]["internal"] is True
    assert {port.partition(":")[0] for port in proxy["ports"]} == {"80", "443"}
    assert proxy["environment"]["LIARSDICE_UPSTREAM"] == f"server:{last('EXPOSE')}"


def test_the_server_trusts_the_addresses_of_the_proxy_s_network_only(compose: dict[str, Any]) -> None:
    environment = compose["services"]["server"]["environment"]
    (network,) = compose["networks"]["inside"]["ipam"]["config"]
    assert environment["FORWARDED_ALLOW_IPS"] == network["subnet"]
    trusted = _TrustedHosts(environment["FORWARDED_ALLOW_IPS"])
    assert [address in trusted for address in ("172.31.250.3", "172.31.251.3", "127.0.0.1")] == [True, False, False]
    variables = {name: str(value) for name, value in environment.items()}
    assert settings_of(variables).public_url == "https://dice.example"


def test_what_must_survive_an_upgrade_is_in_named_volumes(compose: dict[str, Any]) -> None:
    server, proxy = compose["services"]["server"], compose["services"]["proxy"]
    mounts = [volume.split(":") for service in (server, proxy) for volume in service["volumes"]]
    named = {source for source, *_ in mounts if not source.startswith(".")}
    assert named == set(compose["volumes"])
    assert {target for _, target, *_ in mounts} >= {*json.loads(last("VOLUME")), "/data"}


def test_the_server_gets_the_time_that_it_takes_to_stop(compose: dict[str, Any]) -> None:
    assert duration_s(compose["services"]["server"]["stop_grace_period"]) > STOP_TIMEOUT_S + CLOSE_TIMEOUT_S


def test_the_server_finds_the_database_of_postgresql(postgresql: dict[str, Any]) -> None:
    server, database = postgresql["services"]["server"], postgresql["services"]["database"]
    variables: dict[str, str] = server["environment"]
    settings = settings_of(variables)
    assert str(settings.database) == "postgresql://database:5432/liarsdice"
    match = re.fullmatch(r"postgresql://(\w+)@database:5432/(\w+)", variables["LIARSDICE_DATABASE"])
    assert match is not None
    assert match.groups() == (database["environment"]["POSTGRES_USER"], database["environment"]["POSTGRES_DB"])
    assert variables["PGPASSWORD"] == database["environment"]["POSTGRES_PASSWORD"]
    assert server["depends_on"]["database"]["condition"] == "service_healthy"
    assert settings.key_file.parent == DATABASE.parent, "the signing key is not in the volume"


def test_the_image_installs_pinned_versions_only() -> None:
    (install,) = [rest for name, rest in instructions() if name == "RUN" and "pip install" in rest]
    assert "--constraint constraints.txt" in install
    constraints = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    assert [line for line in constraints if not re.fullmatch(r"[\w.-]+(\[[\w,]+\])?==[\w.+!]+( ;.*)?", line)] == []
    packages = json.loads((ROOT / "web" / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    assert [name for name, package in packages.items() if name and "integrity" not in package] == []


def test_the_image_has_the_server_and_the_driver_of_postgresql() -> None:
    (install,) = [rest for name, rest in instructions() if name == "RUN" and "pip install" in rest]
    (extras,) = re.findall(r"'\.\[([\w,]+)\]'", install)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    required = [name for extra in extras.split(",") for name in project["optional-dependencies"][extra]]
    assert all(any(name.startswith(package) for name in required) for package in ("asyncpg", "litestar"))


def test_postgresql_is_reachable_from_inside_only_and_keeps_its_files(
    compose: dict[str, Any], postgresql: dict[str, Any]
) -> None:
    database = postgresql["services"]["database"]
    assert "ports" not in database
    assert database["networks"] == ["inside"]
    assert compose["networks"]["inside"]["internal"] is True
    assert [volume.partition(":")[0] for volume in database["volumes"]] == list(postgresql["volumes"])
    assert database["read_only"] is True
    assert database["cap_drop"] == ["ALL"]


def test_the_proxy_names_every_node(compose: dict[str, Any], nodes: dict[str, Any]) -> None:
    """Compose calls a container PROJECT-SERVICE-NUMBER."""
    replicas: int = nodes["services"]["server"]["deploy"]["replicas"]
    assert replicas > 1
    assert "container_name" not in compose["services"]["server"]
    assert "ports" not in compose["services"]["server"], "two containers cannot have the same port"
    named = nodes["services"]["proxy"]["environment"]["LIARSDICE_UPSTREAM"].split()
    assert named == [f"{compose['name']}-server-{number}:{last('EXPOSE')}" for number in range(1, replicas + 1)]


def test_the_network_has_an_address_for_every_container(
    compose: dict[str, Any], postgresql: dict[str, Any], nodes: dict[str, Any]
) -> None:
    network = ipaddress.ip_network(compose["networks"]["inside"]["ipam"]["config"][0]["subnet"])
    services = {**compose["services"], **postgresql["services"]}
    gateway, containers = 1, len(services) + nodes["services"]["server"]["deploy"]["replicas"] - 1
    assert containers + gateway <= len([*network.hosts()])


def test_all_nodes_have_the_same_keys(compose: dict[str, Any], postgresql: dict[str, Any]) -> None:
    """They create them on the volume that they share, whichever starts first."""
    settings = settings_of(postgresql["services"]["server"]["environment"])
    mounted = [volume.partition(":")[2] for volume in compose["services"]["server"]["volumes"]]
    assert any(Path(folder) in settings.key_base.parents for folder in mounted)
    assert any(Path(folder) in settings.key_file.parents for folder in mounted)

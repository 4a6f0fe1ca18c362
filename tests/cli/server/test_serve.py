"""`liarsdice serve`: what it says, and what it refuses."""

from pathlib import Path

import pytest

from liarsdice.cli.server.serve import welcome_lines
from liarsdice.core.errors import MalformedError
from liarsdice.play.verify_record import RecordSigner
from liarsdice.server.settings import SETTINGS, read_settings, shared_settings_digest
from liarsdice.server.storage.signing_keys import read_signing_keys, retired_keys_path
from tests.cli.run_cli import error_line, run_captured
from tests.cli.server.test_admin import admin, audit, play_match
from tests.server.live_tables import open_registry


def test_a_flag_overrides_the_environment_and_that_the_default() -> None:
    environment = {"LIARSDICE_PORT": "9000", "LIARSDICE_HOST": "0.0.0.0", "HOME": "/nowhere"}  # noqa: S104
    settings = read_settings({"port": "7000"}, environment)
    assert (settings.host, settings.port, settings.pace) == ("0.0.0.0", 7000, 1.0)  # noqa: S104


@pytest.mark.parametrize(
    "flags, complaint",
    [
        ({"port": "99999"}, "--port is a number from 0 to 65535, not '99999'"),
        ({"port": "x"}, "--port is a number"),
        ({"pace": "nan"}, "--pace is a number from 0 to 10"),
        ({"log_level": "loud"}, "--log-level is one of debug"),
        ({"programs": "some"}, "--programs is one of off, guests, tokens, not 'some'"),
        ({"database": "sqlite://"}, "needs a file"),
        ({"database": "???"}, "--database is an address such as"),
    ],
)
def test_an_invalid_setting_is_refused_with_the_valid_values(flags: dict[str, object], complaint: str) -> None:
    with pytest.raises(MalformedError, match=complaint):
        read_settings(flags, {})


def test_tables_are_saved_in_the_state_folder_by_default() -> None:
    assert read_settings({}, {"XDG_STATE_HOME": "/state"}).database == Path("/state/liarsdice/server.db")
    assert read_settings({"database": "sqlite:///rel.db"}, {}).database == Path("rel.db")


def test_keys_are_beside_the_file_or_in_the_state_folder() -> None:
    variables = {"XDG_STATE_HOME": "/state"}
    beside = read_settings({"database": "sqlite:////var/dice.db"}, variables)
    assert (beside.key_base, beside.key_file) == (Path("/var/dice.db"), Path("/var/dice.db.signing-key"))
    apart = read_settings({"database": "postgresql://db.example/dice"}, variables)
    assert apart.key_base == Path("/state/liarsdice/postgresql")
    assert apart.key_file == Path("/state/liarsdice/postgresql.signing-key")


def test_a_database_has_one_set_of_keys_under_all_names(tmp_path: Path) -> None:
    (tmp_path / "link.db").symlink_to(tmp_path / "real" / "server.db")
    linked, real = (
        read_settings({"database": f"sqlite:///{tmp_path / name}"}, {}) for name in ("link.db", "real/server.db")
    )
    assert (linked.key_base, linked.key_file) == (real.key_base, real.key_file)


def test_a_server_for_one_machine_prints_how_to_let_other_devices_in() -> None:
    alone = welcome_lines("http://127.0.0.1:8000", read_settings({}, {}))
    open_door = welcome_lines("http://192.0.2.7:8000", read_settings({"host": "0.0.0.0"}, {}))  # noqa: S104
    assert "--host 0.0.0.0" in alone[-1]
    assert len(open_door) == 1


def test_a_server_behind_a_proxy_does_not_say_that_nobody_else_can_reach_it() -> None:
    settings = read_settings({"public_url": "https://dice.example"}, {})
    assert len(welcome_lines("https://dice.example", settings)) == 1


def test_a_password_is_not_printed() -> None:
    url = "postgresql://ann:secret@db.example/dice?password=secret"
    lines = welcome_lines("http://127.0.0.1:8000", read_settings({}, {"LIARSDICE_DATABASE": url}))
    assert "tables are saved in postgresql://db.example/dice" in lines[0]
    assert "secret" not in "".join(lines)


def test_nodes_compare_the_settings_that_they_need_in_common_and_no_others() -> None:
    database = {"database": "postgresql://host/dice"}
    usual = shared_settings_digest(read_settings(database, {}))
    own = {"host", "port", "database", "key_file", "push_keys", "max_connections", "reviews_at_once", "log_level"}
    assert {setting.name for setting in SETTINGS if not setting.shared} == own
    texts = {"host": "::1", "key_file": "key", "public_url": "https://dice.example"}
    for setting in SETTINGS:
        if setting.name in ("database", "push_keys"):
            continue
        values = setting.bounds or setting.choices or (texts[setting.name],)
        other = next(value for value in map(str, values) if value != setting.default)
        same = shared_settings_digest(read_settings({**database, setting.name: other}, {})) == usual
        assert same is not setting.shared, setting.name
    public = {**database, "public_url": "https://dice.example"}
    pushing = read_settings({**public, "push_keys": "push.key"}, {})
    assert shared_settings_digest(pushing) == shared_settings_digest(read_settings(public, {})), "a path of one machine"


async def test_records_of_the_old_and_of_the_new_key_verify_after_a_rotation(tmp_path: Path) -> None:
    database, key_file = tmp_path / "db", tmp_path / "db.signing-key"
    async with open_registry(database, signer=RecordSigner(*read_signing_keys(key_file))) as registry:
        await play_match(registry)
    (old,) = admin(database, "promise-key", "show")[1].splitlines()
    old = old.removesuffix("  present")
    status, printed, _ = admin(database, "promise-key", "rotate")
    assert status == 0
    assert "Restart the server" in printed
    shown = admin(database, "promise-key", "show")[1].splitlines()
    new = shown[0].removesuffix("  present")
    assert shown[1:] == [f"{old}  retired"]
    assert new != old
    assert audit(database) == [("promise-key rotate", "began"), ("promise-key rotate", "done")]

    async with open_registry(database, signer=RecordSigner(*read_signing_keys(key_file))) as registry:
        await play_match(registry)
    assert admin(database, "promise-key", "export", tmp_path / "keys")[0] == 0
    assert (tmp_path / "keys").read_text(encoding="ascii").split() == [new, old]
    assert admin(database, "export", tmp_path / "records")[0] == 0
    records = [*(tmp_path / "records").iterdir()]
    assert len(records) == 2
    assert run_captured("verify", *records, "--keys", tmp_path / "keys")[0] == 0
    outcomes = {run_captured("verify", record, "--key", old)[0] for record in records}
    assert outcomes == {0, 2}, "each record has the signature of the key under which its match began"


async def test_the_retired_keys_are_in_a_backup(tmp_path: Path) -> None:
    database = tmp_path / "db"
    read_signing_keys(tmp_path / "db.signing-key")
    async with open_registry(database):
        assert admin(database, "promise-key", "rotate")[0] == 0
        assert admin(database, "backup", tmp_path / "copy")[0] == 0
    assert admin(tmp_path / "new" / "db", "restore", tmp_path / "copy")[0] == 0
    for base in ("copy", "new/db"):
        assert read_signing_keys(tmp_path / f"{base}.signing-key") == read_signing_keys(tmp_path / "db.signing-key")
        assert retired_keys_path(tmp_path / f"{base}.signing-key").exists()


def test_a_server_that_never_ran_has_no_key(tmp_path: Path) -> None:
    for command in ("show", "rotate"):
        status, _, error = admin(tmp_path / "db", "promise-key", command)
        assert status == 2
        assert "a server creates it when it first starts" in error
    assert list(tmp_path.iterdir()) == []


def test_a_file_without_keys_verifies_nothing(tmp_path: Path) -> None:
    for text in ("", "shopping list"):
        (tmp_path / "keys").write_text(text, encoding="ascii")
        error = error_line("verify", "none.jsonl", "--keys", tmp_path / "keys")
        assert "has not one public key on each line" in error

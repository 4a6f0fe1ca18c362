"""Users' bots by name: files, commands and networks, what is refused, and the examples of the documentation."""

import re
import sys
from hashlib import sha256
from pathlib import Path

import msgspec
import pytest

from hatch_build import node_bin
from liarsdice.bots.external.subprocess_bot import SubprocessBot
from liarsdice.bots.external.user_bots import (
    USER_BOT_FORMS,
    UserCodeBot,
    file_digests,
    format_bot_list,
    is_user_bot,
    load_bot,
    parse_bot_list,
)
from liarsdice.bots.neural.champion import champion_network
from liarsdice.bots.neural.hunter import Hunter, Searcher
from liarsdice.bots.registry import bot_names, make_bot
from liarsdice.bots.simple.simple_bots import Threshold
from liarsdice.core.engine.view import view
from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice.core.rules.presets import preset, preset_names
from liarsdice.solve.round_game import with_faces
from liarsdice_lab.tournaments.arena import DealResult, make_arena, play_deal
from tests.bots.positions import dealt_state, play_out

EXAMPLES = Path(__file__).parents[3] / "examples"
IN_PROCESS = f"python:{EXAMPLES / 'bot.py'}:bot"
AS_PROGRAM = f"exec:{sys.executable} {EXAMPLES / 'bot.py'}"
BOTS = """
from liarsdice.bots.simple.simple_bots import Threshold
loaded = []
def bold(seed):
    loaded.append(seed)
    return Threshold(0.1 * len(loaded))
def broken(seed):
    raise ValueError(seed)
def ends(seed):
    raise SystemExit(9)
def nothing(seed):
    return 7
class Doubter:
    def act(self, view):
        return None
def a_class(seed):
    return Doubter
class Silent(Doubter):
    act = None
def silent(seed):
    return Silent()
number = 3
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return a Python file with factories that work and fail."""
    path = tmp_path / "my bots.py"
    path.write_text(BOTS, encoding="utf-8")
    return path


def test_built_in_bots_are_loaded_by_name_too() -> None:
    assert load_bot(" threshold:0.3 ") == Threshold(0.3)
    with pytest.raises(UnavailableError, match="no bot is called 'nobody'"):
        load_bot("nobody")


def test_a_users_bot_does_not_get_the_dealers_seed(file: Path) -> None:
    def error_text(seed: str | None) -> str:
        with pytest.raises(UnavailableError, match="raised ValueError: ") as raised:
            load_bot(f"python:{file}:broken", seed)
        assert repr(load_bot("exec:sh", seed)).split("'")[-2] in str(raised.value) or seed is None
        return str(raised.value)

    assert "0/12" not in error_text("0/12/1/0")
    assert error_text("0/12/1/0") == error_text("0/12/1/0") != error_text("0/12/1/1")
    assert re.fullmatch(r".* [0-9a-f]{64}", error_text(None))  # the same type with a seed and without one


def test_make_bot_knows_no_files_and_commands() -> None:
    for spec in (IN_PROCESS, "exec:node bot.mjs", "exec[2s]:node bot.mjs", "hunter:champion@5", "search:champion"):
        with pytest.raises(UnavailableError, match="no bot is called"):
            make_bot(spec)
    assert not [name for name in bot_names() if is_user_bot(name)]
    assert all(is_user_bot(form) for form in USER_BOT_FORMS)


def test_a_factory_in_a_file_makes_a_bot_and_the_file_is_run_once(file: Path) -> None:
    for seed in (1, 2):
        bot = load_bot(f"python:{file}:bold", seed)
        assert isinstance(bot, UserCodeBot)
        assert bot.bot == Threshold(0.1 * seed)


@pytest.mark.parametrize(
    "name, complaint",
    [
        ("broken", r"raised ValueError: [0-9a-f]{64}$"),
        ("ends", "raised SystemExit: 9"),
        ("nothing", r"made 7, which is no object with the method act"),
        ("a_class", r"made the class Doubter, which is no object with the method act"),
        ("silent", r"made an object of the class Silent, which is no object with the method act"),
        ("number", r"has no function 'number'"),
        ("missing", r"has no function 'missing'"),
        ("not a name", "is written python:FILE.py:FACTORY"),
        ("", "is written python:FILE.py:FACTORY"),
    ],
)
def test_a_factory_that_makes_no_bot_is_refused(file: Path, name: str, complaint: str) -> None:
    with pytest.raises((UnavailableError, MalformedError), match=complaint):
        load_bot(f"python:{file}:{name}", 5)


def test_a_file_that_cannot_be_loaded_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnavailableError, match="there is no Python file"):
        load_bot(f"python:{tmp_path / 'none.py'}:bot")
    (tmp_path / "wrong.py").write_text("import nothing_like_this", encoding="utf-8")
    with pytest.raises(UnavailableError, match=r"cannot load .*wrong\.py: ModuleNotFoundError"):
        load_bot(f"python:{tmp_path / 'wrong.py'}:bot")
    (tmp_path / "ends.py").write_text("raise SystemExit(9)", encoding="utf-8")
    with pytest.raises(UnavailableError, match=r"cannot load .*ends\.py: SystemExit: 9"):
        load_bot(f"python:{tmp_path / 'ends.py'}:bot")


def test_a_champions_network_in_a_file_plays_as_that_champion(tmp_path: Path) -> None:
    path = tmp_path / "best.npz"
    champion_network().save(path)
    results = []
    for name in (f"network:{path}", "champion@7"):
        arena = make_arena(preset("perudo").ruleset, [name, "threshold"], seed=4, duplicate=True)
        results.append(without_times([play_deal(arena, 0)]))
    assert results[0] == results[1]
    assert file_digests([f"network:{path}"]) == {str(path): sha256(path.read_bytes()).hexdigest()}


def test_a_file_without_a_network_that_plays_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MalformedError, match=r"is written network:FILE\.npz"):
        load_bot("network:")
    with pytest.raises(UnavailableError, match=r"none\.npz cannot be read: No such file"):
        load_bot(f"network:{tmp_path / 'none.npz'}")
    (tmp_path / "wrong.npz").write_bytes(b"no network")
    with pytest.raises(UnavailableError, match=r"wrong\.npz holds no network that plays"):
        load_bot(f"network:{tmp_path / 'wrong.npz'}")


@pytest.mark.parametrize("text", ["raise KeyboardInterrupt", "def bot(seed):\n    raise KeyboardInterrupt"])
def test_ctrl_c_while_a_bot_is_loaded_propagates(tmp_path: Path, text: str) -> None:
    (tmp_path / "slow.py").write_text(text, encoding="utf-8")
    with pytest.raises(KeyboardInterrupt):
        load_bot(f"python:{tmp_path / 'slow.py'}:bot")


@pytest.mark.parametrize(
    "names", [["random"], ["exec:./bot --faces 1,2", "threshold"], ['exec:sh -c "a b"', "exec:a\nb", "x"]]
)
def test_a_list_of_names_is_read_as_it_was_written(names: list[str]) -> None:
    assert parse_bot_list(format_bot_list(names)) == names


PRINTING_BOT = """
from liarsdice.bots.simple.simple_bots import Threshold
print("loaded")
class PrintingBot(Threshold):
    def on_start(self, view):
        print("arrived")
    def act(self, view):
        print("asked")
        return super().act(view)
    def on_end(self, view):
        print("left")
def bot(seed):
    print("made")
    return PrintingBot(0.4)
"""


def test_what_a_bot_from_a_file_prints_goes_to_standard_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "prints.py").write_text(PRINTING_BOT, encoding="utf-8")
    arena = make_arena(preset("perudo").ruleset, [f"python:{tmp_path / 'prints.py'}:bot", "threshold"])
    assert play_deal(arena, 0).warnings == ()
    printed = capsys.readouterr()
    assert printed.out == ""
    assert set(printed.err.split()) == {"loaded", "made", "arrived", "asked", "left"}


def test_a_command_is_split_as_a_shell_would_and_run_by_none() -> None:
    bot = load_bot("exec:sh -c 'exit 3' $HOME; rm", 4)
    assert isinstance(bot, SubprocessBot)
    assert bot.command == ("sh", "-c", "exit 3", "$HOME;", "rm")
    assert bot.pid is None


@pytest.mark.parametrize(
    "spec, limit_s", [("exec:sh", 5), ("exec[2s]:sh", 2), ("exec[500ms]:sh", 0.5), ("exec[1.5s]:sh", 1.5)]
)
def test_the_time_limit_stands_in_brackets(spec: str, limit_s: float) -> None:
    bot = load_bot(spec)
    assert isinstance(bot, SubprocessBot)
    assert bot.move_limit_s == limit_s


@pytest.mark.parametrize(
    "spec, complaint",
    [
        ("exec:", "a command needs a program"),
        ("exec: ", "a command needs a program"),
        ("exec:sh 'open", "cannot read the command of .*no closing quotation"),
        ("exec:no-such-program-anywhere", "no program is called 'no-such-program-anywhere'"),
        *(
            (f"exec[{limit}]:sh", "a time limit is up to an hour")
            for limit in ("", "2", "0s", "-1s", "2h", "3601s", "nan")
        ),
        ("exec [2s]:sh", "no bot is called"),
    ],
)
def test_an_invalid_command_is_refused(spec: str, complaint: str) -> None:
    with pytest.raises((UnavailableError, MalformedError), match=complaint):
        load_bot(spec)


def test_a_list_may_hold_commas_in_quotes() -> None:
    assert parse_bot_list("random, greedy:0.4,,") == ["random", "greedy:0.4"]
    assert parse_bot_list('"exec:./bot --faces 1,2", random') == ["exec:./bot --faces 1,2", "random"]
    assert parse_bot_list("""exec:node 'my bot.mjs' "a b",random""") == ["""exec:node 'my bot.mjs' "a b\"""", "random"]
    assert parse_bot_list('"exec:node ""my bot.mjs"" 1,2"') == ['exec:node "my bot.mjs" 1,2']
    assert parse_bot_list("") == []
    for wrong in ('"exec:sh', '"exec:sh" x,random', "random\ngreedy"):
        with pytest.raises(MalformedError, match="cannot read the list of bots"):
            parse_bot_list(wrong)


def test_files_are_known_by_their_content(file: Path) -> None:
    digest = sha256(file.read_bytes()).hexdigest()
    specs = ("threshold", f"python:{file}:bold", f"exec:sh '{file}' --bold", f"exec:sh -c '{'x' * 300}'")
    assert file_digests(specs) == {str(file): digest}


# examples


def test_the_bot_of_the_documentation_plays_without_a_fault(tmp_path: Path) -> None:
    page = (EXAMPLES.parent / "docs" / "your-own-bot.md").read_text(encoding="utf-8")
    file = tmp_path / "page.py"
    file.write_text(page.partition("```python\n")[2].partition("```")[0], encoding="utf-8")
    for name in preset_names():
        bots = {seat: load_bot(f"python:{file}:bot", seat) for seat in range(3)}
        assert play_out(preset(name).ruleset, bots).faults == []


def without_times(deals: list[DealResult]) -> list[DealResult]:
    return [msgspec.structs.replace(deal, seconds=0.0, times=()) for deal in deals]


def test_the_example_plays_the_same_in_process_and_as_a_program() -> None:
    results = []
    for spec in (IN_PROCESS, AS_PROGRAM):
        arena = make_arena(preset("perudo").ruleset, [spec, "threshold"], seed=2, duplicate=True)
        results.append(without_times([play_deal(arena, number) for number in range(2)]))
    assert results[0] == results[1]
    assert not any(deal.warnings for deal in results[0])


@pytest.mark.parametrize("name", preset_names())
def test_the_example_plays_every_preset_without_a_fault(name: str) -> None:
    for seed in range(3):
        bots = {seat: load_bot(IN_PROCESS, f"{seed}/{seat}") for seat in range(3)}
        assert play_out(preset(name).ruleset, bots, seed).faults == []


@pytest.mark.parametrize("rules", ["perudo", "official", "chui-niu"])
def test_the_example_in_javascript_plays_without_a_fault(rules: str) -> None:
    folder = node_bin()
    assert folder is not None, "the page is built with Node, so it is here"
    spec = f"exec:{folder / 'node'} {EXAMPLES / 'bot.mjs'}"
    arena = make_arena(preset(rules).ruleset, [spec, "threshold"], seed=2, duplicate=True)
    deal = play_deal(arena, 0)
    assert deal.warnings == ()
    assert sum(deal.times[0].values()) > 10


@pytest.fixture
def network_file(tmp_path: Path) -> Path:
    path = tmp_path / "best.npz"
    champion_network().save(path)
    return path


@pytest.mark.parametrize("prefix, kind", [("hunter", Hunter), ("search", Searcher)])
def test_a_champion_or_a_network_can_be_hunted_and_can_search(network_file: Path, prefix: str, kind: type) -> None:
    for name in (f"{prefix}:champion@5", f"{prefix}:network:{network_file}"):
        assert isinstance(load_bot(name, 1), kind)
    assert file_digests([f"{prefix}:network:{network_file}", f"{prefix}:champion"]) == {
        str(network_file): sha256(network_file.read_bytes()).hexdigest()
    }


@pytest.mark.parametrize(
    "prefix, complaint",
    [
        ("hunter", "a hunter knows a champion without a temper or a network"),
        ("search", "only a champion without a temper or a network can search"),
    ],
)
def test_other_bots_can_be_neither_hunted_nor_search(prefix: str, complaint: str) -> None:
    for name in ("threshold", "champion:bold", "sharp"):
        with pytest.raises(MalformedError, match=complaint):
            load_bot(f"{prefix}:{name}")
    with pytest.raises(UnavailableError, match="no bot is called"):
        load_bot(f"{prefix}:")


def test_the_name_of_a_searcher_may_set_its_budget(network_file: Path) -> None:
    for name in ("search[50]:champion", f"search[400]:network:{network_file}", " search[ 7 ]:champion@5 "):
        assert is_user_bot(name)
        assert isinstance(load_bot(name, 1), Searcher)
    assert list(file_digests([f"search[400]:network:{network_file}"])) == [str(network_file)]
    for budget in ("", "0", "fast", "-5", "10001", "200ms"):
        with pytest.raises(MalformedError, match="a budget is 1 to 10000"):
            load_bot(f"search[{budget}]:champion")


def test_a_small_budget_computes_a_coarser_blueprint() -> None:
    rules = with_faces(preset("basic").ruleset, 5)  # the package has no blueprint of these rounds
    shown = view(dealt_state(rules, ((1, 2, 2), (3, 3, 5))), 0)
    probs = []
    for name in ("search[5]:champion", "search:champion", "search[100]:champion"):
        searcher = load_bot(name, 1)
        assert isinstance(searcher, Searcher)
        probs.append(searcher.champion.action_probs(shown))
    assert probs[0] != probs[1] == probs[2]

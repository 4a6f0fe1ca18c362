"""The folder of an evaluation belongs to its settings."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from liarsdice.analysis.model_evaluation.evaluation import ModelSettings
from liarsdice.analysis.model_evaluation.summary import SETTINGS_FILE, open_deals, open_folder
from liarsdice.bots.external.language_model import EndpointSettings
from liarsdice.core.errors import MalformedError, UnavailableError
from tests.analysis.model_evaluation.fixtures import deal, evaluation


def test_deals_are_kept_by_opponent(tmp_path: Path) -> None:
    folder, settings = tmp_path / "new" / "folder", evaluation("novice", "threshold:0.3")
    open_folder(folder, settings)
    with open_deals(folder, settings, "threshold:0.3") as deals:
        deals.append(deal(0, True, False))
    assert (folder / "threshold-0.3" / "deals.jsonl").is_file()
    assert not (folder / "novice").exists()


def test_the_same_settings_with_other_opponents_continue(tmp_path: Path) -> None:
    open_folder(tmp_path, evaluation("novice"))
    before = (tmp_path / SETTINGS_FILE).read_bytes()
    open_folder(tmp_path, evaluation("novice", "random"))
    assert (tmp_path / SETTINGS_FILE).read_bytes() == before


def test_other_settings_are_refused_by_name(tmp_path: Path) -> None:
    open_folder(tmp_path, evaluation())
    with pytest.raises(
        UnavailableError, match=r"another evaluation: review_deals is 30 there and 0 here \(name another"
    ):
        open_folder(tmp_path, evaluation(review_deals=0))


def test_the_place_of_the_key_is_not_written(tmp_path: Path) -> None:
    endpoint = EndpointSettings(url="http://127.0.0.1:9/v1", model="m", temperature=0.5)
    model = ModelSettings(name="m", endpoint=endpoint, key_variable="THE_KEY")
    open_folder(tmp_path, msgspec.structs.replace(evaluation(), model=model))
    text = (tmp_path / SETTINGS_FILE).read_text(encoding="utf-8")
    assert "THE_KEY" not in text
    assert '"temperature": 0.5' in text


def test_other_files_are_refused(tmp_path: Path) -> None:
    (tmp_path / SETTINGS_FILE).write_text("no JSON", encoding="utf-8")
    with pytest.raises(MalformedError, match="has no settings of an evaluation"):
        open_folder(tmp_path, evaluation())
    with pytest.raises(UnavailableError, match="cannot keep an evaluation in"):
        open_folder(tmp_path / SETTINGS_FILE, evaluation())
    (tmp_path / "novice").touch()
    with pytest.raises(UnavailableError, match="cannot keep deals in"):
        open_deals(tmp_path, evaluation(), "novice")

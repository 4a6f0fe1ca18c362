"""The page's files are read once, compressed where that helps, and cached by their names."""

import gzip
from pathlib import Path

import pytest

from liarsdice.server.http.static_files import CACHE_FOR_EVER, INDEX, REVALIDATE, read_page
from tests.server.running_server import run_server


def make_page(folder: Path) -> Path:
    (folder / "assets").mkdir()
    (folder / INDEX).write_text("<!DOCTYPE html>" + " " * 500)
    (folder / "assets" / "app-1234.js").write_text("let x = 1;" * 100)
    (folder / "tiny.txt").write_text("x")
    (folder / ".hidden").write_text("secret")
    return folder


def test_a_page_that_is_not_built_has_no_files(tmp_path: Path) -> None:
    assert read_page(tmp_path) == {}


def test_hidden_files_are_not_served(tmp_path: Path) -> None:
    assert set(read_page(make_page(tmp_path))) == {INDEX, "assets/app-1234.js", "tiny.txt"}


def test_only_files_whose_names_have_a_hash_are_cached_for_ever(tmp_path: Path) -> None:
    files = read_page(make_page(tmp_path))
    assert files["assets/app-1234.js"].cache_control == CACHE_FOR_EVER
    assert files[INDEX].cache_control == REVALIDATE


def test_files_are_compressed_if_that_makes_them_smaller(tmp_path: Path) -> None:
    files = read_page(make_page(tmp_path))
    compressed = files[INDEX].compressed
    assert compressed is not None
    assert gzip.decompress(compressed) == files[INDEX].body
    assert files["tiny.txt"].compressed is None


def test_the_etag_depends_on_the_content_only(tmp_path: Path) -> None:
    before = read_page(make_page(tmp_path))
    (tmp_path / "tiny.txt").write_text("y")
    after = read_page(tmp_path)
    assert after["tiny.txt"].etag != before["tiny.txt"].etag
    assert after[INDEX].etag == before[INDEX].etag


@pytest.mark.parametrize("path", ["/", "/t/ABCD", "/icon.svg"])
async def test_a_monitor_may_ask_whether_a_page_is_there(tmp_path: Path, path: str) -> None:
    async with run_server(tmp_path / "db") as server:
        response = await server.browser().head(path)
        assert response.status_code == 200
        assert response.content == b""
        assert response.headers["etag"] == (await server.browser().get(path)).headers["etag"]


@pytest.mark.parametrize("path", ["/", "/new", "/rules/mustache", "/t/ABCD", "/t/ABCD/cup", "/replay/ABCD/1"])
async def test_every_page_has_the_same_document_at_its_own_address(tmp_path: Path, path: str) -> None:
    async with run_server(tmp_path / "db") as server:
        response = await server.browser().get(path)
        assert response.status_code == 200
        assert response.content == read_page()[INDEX].body

"""The cache of responses has a bounded size."""

from liarsdice.server.http.costly_work import ResponseCache


def test_the_bodies_that_were_not_used_for_longest_are_dropped() -> None:
    cache = ResponseCache(max_bytes=10)
    cache.put("a", b"aaaa")
    cache.put("b", b"bbbb")
    assert cache.get("a") == b"aaaa"
    cache.put("c", b"cccc")
    assert [cache.get(key) for key in "abc"] == [b"aaaa", None, b"cccc"]


def test_a_body_that_is_put_again_is_counted_once() -> None:
    cache = ResponseCache(max_bytes=10)
    for _ in range(5):
        cache.put("a", b"aaaaa")
    cache.put("b", b"bbbbb")
    assert cache.get("a") == b"aaaaa"


def test_a_body_larger_than_the_cache_is_not_kept() -> None:
    cache = ResponseCache(max_bytes=3)
    cache.put("a", b"aaa")
    cache.put("b", b"bbbb")
    assert (cache.get("a"), cache.get("b")) == (b"aaa", None)

"""A token bucket refills with time, and a clock that is set back costs nobody the time until then."""

from liarsdice.server.token_bucket import TokenBucket


def test_a_bucket_refills_up_to_its_burst() -> None:
    bucket = TokenBucket(2, 1, 0.0)
    assert [bucket.consume(now_s) for now_s in (0.0, 0.0, 0.5, 1.0, 9.0, 9.0, 9.0)] == [
        *(True, True, False, True),
        *(True, True, False),
    ]


def test_a_clock_that_is_set_back_blocks_nobody_for_longer() -> None:
    bucket = TokenBucket(1, 1, 3_600.0)
    assert bucket.consume(3_600.0)
    assert not bucket.consume(0.0)
    assert bucket.consume(1.0)

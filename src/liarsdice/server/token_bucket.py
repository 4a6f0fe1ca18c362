"""The rate limit of one seat, connection or address."""

from __future__ import annotations


class TokenBucket:
    """Allows `burst` actions at once, and `per_s` actions a second in the long run.

    Times are seconds of any clock. If it is set back, the time until then does not count.
    """

    def __init__(self, burst: float, per_s: float, now_s: float) -> None:
        self._burst, self._per_s = burst, per_s
        self._available, self._updated_s = burst, now_s

    def available(self, now_s: float) -> float:
        """Return how many actions are allowed now."""
        self._available = min(self._burst, self._available + max(0.0, now_s - self._updated_s) * self._per_s)
        self._updated_s = now_s
        return self._available

    def consume(self, now_s: float, cost: float = 1.0) -> bool:
        """Count an action of this cost and return True, or return False if it is not allowed now.

        >>> bucket = TokenBucket(2, 1, 0.0)
        >>> bucket.consume(0.0), bucket.consume(0.0), bucket.consume(0.0), bucket.consume(1.0)
        (True, True, False, True)
        """
        if self.available(now_s) < cost:
            return False
        self._available -= cost
        return True

"""Logs as JSON lines on standard error. They name what was done and how it ended; never dice, tokens, names or talk."""

from __future__ import annotations

import logging
import sys
from typing import TextIO

import structlog

from liarsdice.server.settings import LEVELS


def start_logs(level: str, stream: TextIO | None = None) -> None:
    """Send all logs, uvicorn's warnings included, to a stream."""
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(LEVELS[level]),
        logger_factory=structlog.PrintLoggerFactory(stream or sys.stderr),
        cache_logger_on_first_use=False,
    )
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(_JsonFormatter())
    for name in ("uvicorn", "uvicorn.error", "litestar"):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(max(LEVELS[level], logging.WARNING))


class _JsonFormatter(logging.Formatter):
    """A line of the standard library's logging as our others look: where it came from, and the kind of an error."""

    def format(self, record: logging.LogRecord) -> str:
        """Without the message's arguments and the traceback, which could hold what a client sent."""
        error = record.exc_info[0].__name__ if record.exc_info and record.exc_info[0] else None
        line = {"event": "library", "logger": record.name, "level": record.levelname.lower(), "error": error}
        return str(structlog.processors.JSONRenderer()(None, "", line))

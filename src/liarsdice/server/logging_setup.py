"""Logs as JSON lines. A line says what was done and with what result; it never holds dice, tokens, names or talk."""

from __future__ import annotations

import logging
import sys
from typing import TextIO

import structlog

ADD_TIME = structlog.processors.TimeStamper(fmt="iso", utc=True)


def configure_logging(level: int, stream: TextIO | None = None) -> None:
    """Write all logs of this level (as `logging.INFO`) or above to a stream, by default standard error.

    Of uvicorn and litestar only errors are logged: a warning for each malformed request would fill a disk.
    """
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            ADD_TIME,
            structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.PrintLoggerFactory(stream or sys.stderr),
        cache_logger_on_first_use=False,
    )
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(_JsonFormatter())
    for name in ("uvicorn", "uvicorn.error", "litestar"):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(max(level, logging.ERROR))


class _JsonFormatter(logging.Formatter):
    """Formats the records of other libraries as JSON: the name of the logger and the class of an error."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line without message and traceback, which could contain what a client sent."""
        error = record.exc_info[0].__name__ if record.exc_info and record.exc_info[0] else None
        line = {"event": "library", "logger": record.name, "level": record.levelname.lower(), "error": error}
        ADD_TIME(None, "", line)
        return str(structlog.processors.JSONRenderer()(None, "", line))

"""Hooks of MkDocs: the generated pages are made while the documentation is built."""

import sys
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that follow from the program to the handwritten ones."""
    sys.path.insert(0, str(Path(__file__).parent.parent))
    from docs.pages import pages  # noqa: PLC0415  MkDocs loads this file alone, without its package

    for name, text in pages().items():
        if (handwritten := files.get_file_from_path(name)) is not None:
            files.remove(handwritten)  # the generated page contains it
        files.append(File.generated(config, name, content=text))
    return files

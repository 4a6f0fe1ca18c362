"""The packaged figures of the presets."""

from __future__ import annotations

from benchmarks.rules_lab import MATCHES, RULES, SEATS, SEED
from liarsdice.analysis.rules_lab.measures import (
    FIGURES_FILE,
    Measure,
    packaged_figures,
    read_preset_figures,
    rules_digest,
    write_preset_figures,
)
from liarsdice.analysis.rules_lab.simulate import judge_name
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset, simulated_preset_names


def test_every_preset_has_figures_of_the_present_champion_and_of_its_present_rules() -> None:
    """A stale file is written again by `python -m benchmarks.rules_lab`."""
    known = packaged_figures()
    assert set(simulated_preset_names()) <= set(RULES)
    for name in RULES:
        rules = preset(name).ruleset
        allowed = [seats for seats in SEATS if rules.players.min <= seats <= (rules.players.max or seats)]
        assert allowed
        for seats in allowed:
            entry = known[name, seats]
            assert (entry.digest, entry.figures.judge) == (rules_digest(rules), judge_name(rules)), (name, seats)
            assert (entry.seed, entry.figures.matches) == (SEED, MATCHES)
            assert [row.measure for row in entry.figures.measures] == list(Measure)
            assert {row.new for row in entry.figures.measures} == {None}


def test_the_packaged_figures_are_of_presets_only_and_make_sense() -> None:
    for (name, seats), entry in packaged_figures().items():
        assert name in RULES
        values = {row.measure: row.old.value for row in entry.figures.measures}
        rounds, luck, calls = values[Measure.ROUNDS], values[Measure.LUCK], values[Measure.EXACT_CALLS]
        assert rounds is not None
        assert rounds >= 1, (name, seats)
        assert luck is not None
        assert 0 < luck < 1, (name, seats)
        assert (values[Measure.EXACT_RIGHT] is None) == (calls == 0)
        assert not calls or preset(name).ruleset.exact_call is not None


def test_a_file_of_figures_is_read_as_it_was_written() -> None:
    entries = tuple(packaged_figures().values())[:3]
    assert read_preset_figures(write_preset_figures(entries)) == entries
    assert FIGURES_FILE.endswith(".json")


def test_rules_that_play_differently_have_another_digest_and_words_have_none() -> None:
    perudo = preset("perudo").ruleset
    assert rules_digest(patched(perudo, labels__game="Dudo", players__per_set=4)) == rules_digest(perudo)
    assert rules_digest(patched(perudo, dice__per_player=4)) != rules_digest(perudo)

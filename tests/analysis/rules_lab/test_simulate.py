"""Simulated matches of the rules lab."""

import msgspec
import numpy as np
import pytest

from benchmarks.rules_lab import MATCHES, RULES, SEATS, SEED
from liarsdice.analysis.rules_lab.measures import (
    FIGURES_FILE,
    LabFigures,
    Measure,
    MeasureComparison,
    packaged_figures,
    read_preset_figures,
    rules_digest,
    write_preset_figures,
)
from liarsdice.analysis.rules_lab.simulate import (
    LUCK_DEALS,
    FloatArray,
    MatchSample,
    join_samples,
    judge_name,
    lab_figures,
    pack_samples,
    simulate_matches,
    unpack_samples,
)
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset, simulated_preset_names
from liarsdice.core.rules.rule_costs import is_learned
from liarsdice.core.rules.ruleset import Ruleset

PERUDO = preset("perudo").ruleset


def sample_of(rules: Ruleset, matches: int, seats: int = 3) -> MatchSample:
    return join_samples(list(simulate_matches(rules, seats, matches, 3)))


@pytest.fixture(scope="module")
def perudo() -> MatchSample:
    return sample_of(PERUDO, 40)


def test_the_same_seed_gives_the_same_matches(perudo: MatchSample) -> None:
    again = sample_of(PERUDO, 40)
    assert all(np.array_equal(getattr(perudo, field), getattr(again, field)) for field in perudo.__struct_fields__)


def test_packed_samples_hold_the_same_numbers(perudo: MatchSample) -> None:
    first, second = unpack_samples(pack_samples([perudo, perudo]))
    for field in MatchSample.__struct_fields__:
        for unpacked in (first, second):
            np.testing.assert_array_equal(getattr(unpacked, field), getattr(perudo, field))


def test_every_match_is_won_once_and_luck_is_nobodys_in_sum(perudo: MatchSample) -> None:
    assert perudo.results.sum(axis=1) == pytest.approx(1)
    assert perudo.luck.sum(axis=1) == pytest.approx(0, abs=1e-9)
    assert 0.01 < np.abs(perudo.luck).mean() < 0.3
    assert np.abs(perudo.luck.mean(axis=0)).max() < 4 * perudo.luck.std() / np.sqrt(len(perudo.luck))


def test_right_exact_calls_are_some_of_those_that_were_made(perudo: MatchSample) -> None:
    assert (perudo.exact_right <= perudo.exact_calls).all()
    assert perudo.exact_calls.sum() > perudo.exact_right.sum() > 0
    assert (perudo.rounds >= 5).all()


def test_dice_with_many_faces_are_played_by_exact_odds() -> None:
    rules = patched(PERUDO, dice__faces=8)
    assert judge_name(rules) == "inference"
    sample = sample_of(rules, 20)
    assert (sample.rounds >= 5).all()
    assert (sample.exact_right <= sample.exact_calls).all()
    assert np.abs(sample.luck).mean() > 0.01


def test_where_players_shed_matches_are_played_by_exact_odds_and_luck_is_not_measured() -> None:
    rules = preset("snyd-joker+winner-sheds").ruleset
    assert judge_name(rules) == "inference"
    sample = sample_of(rules, 40)
    assert not sample.luck.any()
    assert row(lab_figures(rules, sample), Measure.LUCK).old.value is None
    assert (sample.rounds >= 5).all()


def sample(won: FloatArray, luck: FloatArray | None = None, length: float = 1.0) -> MatchSample:
    """Matches of two seats of which the first wins as much; each has two exact calls, as many right ones as it wins."""
    ones, results = np.ones(len(won)), np.stack([won, 1 - won], axis=1)
    lucks = np.zeros(len(won)) if luck is None else luck
    return MatchSample(results, np.stack([lucks, -lucks], axis=1), length * ones, length * ones, 2 * ones, won)


def row(figures: LabFigures, measure: Measure) -> MeasureComparison:
    return next(one for one in figures.measures if one.measure is measure)


def test_an_interval_is_that_of_a_mean_over_matches() -> None:
    won = np.array([1.0, 0.0, 1.0, 1.0])
    figures = lab_figures(PERUDO, sample(won))
    opening = row(figures, Measure.OPENING).old
    assert (figures.seats, figures.matches) == (2, 4)
    assert opening.value == pytest.approx(0.25)
    assert opening.error == pytest.approx(1.96 * won.std(ddof=1) / 2)
    assert row(figures, Measure.EXACT_RIGHT).old.value == pytest.approx(3 / 8)
    assert row(figures, Measure.MINUTES).old.value == pytest.approx(0.5)


def test_every_measure_stands_there_once_and_nothing_new_without_changed_rules() -> None:
    figures = lab_figures(PERUDO, sample(np.array([1.0, 0.0])))
    assert [one.measure for one in figures.measures] == list(Measure)
    assert {one.new for one in figures.measures} == {None}


def test_the_same_matches_show_no_change_and_longer_ones_do() -> None:
    rng = np.random.default_rng(1)
    won = (rng.random(400) < 0.5).astype(np.float64)
    old = sample(won, rng.normal(size=400))
    assert not any(one.changed for one in lab_figures(PERUDO, old, old).measures)
    longer = sample(won, old.luck[:, 0], length=2.0)
    changed = {one.measure for one in lab_figures(PERUDO, old, longer).measures if one.changed}
    assert changed == {Measure.ROUNDS, Measure.MINUTES}


def test_without_exact_calls_there_is_nothing_to_say_of_them() -> None:
    won = np.array([1.0, 0.0, 1.0])
    none = msgspec.structs.replace(sample(won), exact_calls=0 * won, exact_right=0 * won)
    figures = lab_figures(PERUDO, none, none)
    assert row(figures, Measure.EXACT_CALLS).old.value == 0
    assert row(figures, Measure.EXACT_RIGHT).old.value is None
    assert not row(figures, Measure.EXACT_RIGHT).changed


def test_the_share_of_luck_is_what_luck_explains_however_few_deals_it_is_measured_by() -> None:
    rng = np.random.default_rng(2)
    matches = 40_000
    luck = rng.normal(size=matches)
    results = 0.5 + 0.1 * luck + 0.2 * rng.normal(size=matches)  # a fifth of the variance
    measured = luck + rng.normal(size=matches) / np.sqrt(LUCK_DEALS)
    share = row(lab_figures(PERUDO, sample(results, measured)), Measure.LUCK).old
    assert share.value is not None
    assert share.error is not None
    assert share.value == pytest.approx(0.2, abs=0.012)
    assert 0.003 < share.error < 0.02


def test_where_nothing_was_luck_nothing_is_said_of_it() -> None:
    assert row(lab_figures(PERUDO, sample(np.array([1.0, 0.0]))), Measure.LUCK).old.value is None


def test_the_interval_of_the_share_of_luck_holds_it_in_about_95_of_100_samples() -> None:
    rng = np.random.default_rng(3)
    held = 0
    for _ in range(200):
        luck = rng.normal(size=500)
        results = 0.5 + 0.1 * luck + 0.2 * rng.normal(size=500)
        measured = luck + rng.normal(size=500) / np.sqrt(LUCK_DEALS)
        share = row(lab_figures(PERUDO, sample(results, measured)), Measure.LUCK).old
        assert share.value is not None
        assert share.error is not None
        held += abs(share.value - 0.2) <= share.error
    assert 176 <= held <= 199


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
        assert (luck is not None) == is_learned(preset(name).ruleset)
        assert luck is None or 0 < luck < 1, (name, seats)
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

"""The configuration of a training run: its fields, its file, and the checks before a run starts."""

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Annotated

import msgspec

from liarsdice.bots.neural.champions import BASELINES
from liarsdice.bots.neural.features import SEAT_SLOTS, require_supported
from liarsdice.core.decode_errors import describe_decode_error
from liarsdice.core.errors import LiarsDiceError, MalformedError, UnavailableError
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.parts import Labels
from liarsdice.core.rules.presets import FULL, preset, simulated_preset_names
from liarsdice.core.rules.rule_costs import is_learned, require_learned
from liarsdice.core.rules.ruleset_io import find_rules
from liarsdice.core.sources import source_bytes
from liarsdice.runtime.atomic_files import error_reason
from liarsdice.sim.compile import compile_rules
from liarsdice.sim.vector_env import VectorEnv
from liarsdice.values.playouts import RoundPlays
from liarsdice_lab.train.model import WHOLE_CHAMPION, load_opponent, load_teacher

MAX_SEATS = 6
"""The most seats of a training table, unless the rules need more."""


def check_learnable(name: str) -> None:
    """Check that rules exist, and that networks can play them with the seats of a training table.

    Raises `UnavailableError`, or what `find_rules` and `compile_rules` raise.
    """
    rules = find_rules(name)
    min_seats = rules.players.min
    try:
        require_supported(rules)
        require_learned(rules, "networks learn")
        if min_seats > SEAT_SLOTS:
            raise UnavailableError(f"networks learn at tables of up to {SEAT_SLOTS}, not of {min_seats}")
        for seats in {min_seats, min(max(min_seats, MAX_SEATS), rules.players.max or MAX_SEATS)}:
            compile_rules(rules, seats)
    except LiarsDiceError as error:
        raise type(error)(f"{name} cannot be learned: {error}") from error


def check_rounds_known(name: str) -> None:
    """Raise `UnavailableError` if a run of these rules cannot know how the champion plays rounds of two."""
    rules = find_rules(name)
    try:
        RoundPlays(VectorEnv(compile_rules(rules, rules.players.min), 1))
    except UnavailableError as error:
        raise UnavailableError(
            f"{WHOLE_CHAMPION} cannot be an opponent or end matches under {name}: {error}"
        ) from error


CONFIG_FILE = "plan.json"
"""The name of the configuration in a run's folder."""
BALANCE_RULES = ("perudo", "openspiel")
"""The rules by which balance is measured where a run learns them."""
MAX_DECISIONS = 10_000_000
"""The most decisions of an iteration: all are in memory at the same time, about a kilobyte each."""


def all_rulesets() -> tuple[str, ...]:
    """Return the names of the presets that networks can learn, and of rule sheet 001 with all its options.

    >>> "perudo" in all_rulesets()
    True
    """
    return (*(name for name in simulated_preset_names() if is_learned(preset(name).ruleset)), FULL)


Name = Annotated[str, msgspec.Meta(max_length=4096)]
Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
PositiveShare = Annotated[float, msgspec.Meta(gt=0, le=1)]
Count = Annotated[int, msgspec.Meta(ge=1, le=10_000_000)]
TableCount = Annotated[int, msgspec.Meta(ge=1, le=10_000)]
MatchCount = Annotated[int, msgspec.Meta(ge=1, le=100_000)]
DiceCount = Annotated[int, msgspec.Meta(ge=1, le=10)]
SeatCount = Annotated[int, msgspec.Meta(ge=2, le=MAX_SEATS)]


class PPOConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Hyperparameters of proximal policy optimisation (Schulman et al. 2017).

    The learning rate falls to `final_lr_ratio` of itself (see `decayed`), the entropy weight linearly to
    `final_entropy_weight`.
    `clip`: the clipping range of the probability ratio. `gae_lambda`: lambda of generalised advantage estimation.
    `max_grad_norm`: the gradient of each network is clipped to this norm. `teacher_weight`: the weight of the cross
    entropy to the teachers' policies, which falls linearly to 0 at half of the training (kickstarting, Schmitt et al.
    2018).

    `magnet_weight`: the weight of the KL divergence from the policy to the magnet, an exponential moving average of the
    policy that moves by `magnet_rate` in each iteration. The weight falls to `final_magnet_weight`. It makes play among
    learners converge where it would cycle (magnetic mirror descent, Sokota et al. 2023); 0 switches it off.
    `kl_weight`: the weight of the KL divergence from the policy to what it was when the iteration began; 0 switches it
    off. `decay_power`: the learning rate and the magnet's weight fall by this power of time; with 0 the rate falls
    linearly, and the weight geometrically.

    `ema_rate`: the weight of the current parameters in the averaged policy, which is measured and kept (0.004 averages
    over about 250 iterations). `sample_share`: the share of the decisions that are learned from, those with the largest
    absolute advantages.
    """

    learning_rate: PositiveShare = 5e-4
    final_lr_ratio: Share = 0.05
    clip: PositiveShare = 0.2
    epochs: Annotated[int, msgspec.Meta(ge=1, le=100)] = 2
    minibatch: Annotated[int, msgspec.Meta(ge=1, le=1_000_000)] = 4096
    entropy_weight: Share = 0.1
    final_entropy_weight: Share = 0.02
    gae_lambda: Share = 0.5
    max_grad_norm: Annotated[float, msgspec.Meta(gt=0, le=1e6)] = 0.5
    teacher_weight: Annotated[float, msgspec.Meta(ge=0, le=100)] = 1.0
    magnet_weight: Annotated[float, msgspec.Meta(ge=0, le=100)] = 0.0
    final_magnet_weight: Annotated[float, msgspec.Meta(ge=0, le=100)] = 0.0
    magnet_rate: PositiveShare = 0.002
    kl_weight: Annotated[float, msgspec.Meta(ge=0, le=100)] = 0.0
    decay_power: Annotated[float, msgspec.Meta(ge=0, le=100)] = 0.0
    ema_rate: PositiveShare = 0.004
    sample_share: PositiveShare = 1.0


class BalanceConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How an evaluation measures the balance of a network of a run, besides its strength.

    `rules`: those of the rounds of two players in which its exact exploitability is computed; None: those of
    `BALANCE_RULES` that the run learns, or else its first rules under which bids only rise; none of them: not computed.
    `dice`: of the player who opens, and of the other. `faces`: None for those of the rules. `hunter_rounds`: the single
    rounds that a hunter of the network plays against it under the last of these rules, with `hunter_dice` dice each;
    each deal is played from both seats. 0: none. `response_reach`: in the round of `response_dice` dice each under the
    last of these rules, a best response looks ahead where the network's own bids lead at least so often (see
    `exploitability_floor`). None: it is not computed.
    """

    rules: Annotated[tuple[Name, ...], msgspec.Meta(max_length=100)] | None = None
    dice: tuple[DiceCount, DiceCount] = (2, 1)
    faces: Annotated[int, msgspec.Meta(ge=2, le=6)] | None = None
    hunter_rounds: Annotated[int, msgspec.Meta(ge=0, le=100_000)] = 100
    hunter_dice: DiceCount = 3
    response_reach: PositiveShare | None = 0.02
    response_dice: DiceCount = 3


class TrainingConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The configuration of a training run: what is played, for how long, and how the network learns.

    `rules`: names of presets, and files of house rules. `tables`: tables with a fixed ruleset and seats each, of which
    `tables_per_iteration` play in an iteration; each plays `matches` matches side by side for `steps` decisions each.

    `bot_table_share`: the share of tables with one learner among bots. `two_learner_share`: the share of tables with
    two learners. `opponent_table_share`: the share of tables with one learner among `opponents`: networks that learn no
    more (`champion@5`, or files), or the champion with its solved rounds and blueprints (`WHOLE_CHAMPION`).
    `opponent_seats`: the numbers of seats of these tables, used in turn, each as near as the rules allow; none: as few
    as the rules allow. All shares are between 0 and 1 and come to at most 1; the other tables seat learners, some of
    them with bots. `ends_with_two`: matches of one learner among others end where two players are left, and the learner
    wins the share that the champion wins from there with its solved rounds and blueprints (see `Endings`).

    `min_prob_ratio`: actions less likely than this fraction of the likeliest are dropped by the finished network (see
    `Network`). `initial_weights`: the checkpoint of another run, or a network, that the run starts from; it has as many
    layers and at most as many units in each. `teachers`: by ruleset, a network of any size, or the checkpoint of a run,
    whose policy the learners imitate at first. Every `evaluate_every` iterations strength is measured in
    `evaluation_matches` matches at each table, and balance as `balance` says.
    """

    rules: Annotated[tuple[Name, ...], msgspec.Meta(min_length=1, max_length=1000)] = msgspec.field(
        default_factory=all_rulesets
    )
    seed: Annotated[int, msgspec.Meta(ge=0, le=2**32 - 1)] = 1
    iterations: Count = 1000
    width: Annotated[int, msgspec.Meta(ge=1, le=4096)] = 256
    layers: Annotated[int, msgspec.Meta(ge=1, le=16)] = 2
    tables: TableCount = 128
    tables_per_iteration: TableCount = 8
    matches: MatchCount = 192
    steps: Annotated[int, msgspec.Meta(ge=2, le=1000)] = 32
    bot_table_share: Share = 0.2
    two_learner_share: Share = 0.25
    opponent_table_share: Share = 0.06
    opponents: Annotated[tuple[Name, ...], msgspec.Meta(max_length=1000)] = ("champion@5",)
    opponent_seats: Annotated[tuple[SeatCount, ...], msgspec.Meta(max_length=100)] = ()
    ends_with_two: bool = False
    teachers: Annotated[dict[Name, Name], msgspec.Meta(max_length=1000)] = msgspec.field(default_factory=dict)
    min_prob_ratio: Share = 0.05
    evaluate_every: Count = 50
    evaluation_matches: MatchCount = 1000
    initial_weights: Name = ""
    ppo: PPOConfig = PPOConfig()
    balance: BalanceConfig = BalanceConfig()


MAX_FILE_BYTES = 1_000_000


def read_config(path: Path, *, complete: bool = False) -> TrainingConfig:
    """Read a configuration from a JSON file.

    Missing fields have their defaults, unless the file must be `complete`. Raises `UnavailableError` if the file cannot
    be read, and `MalformedError` if it holds no configuration.
    """
    try:
        raw = source_bytes(path, MAX_FILE_BYTES, content="the configuration")
        content = msgspec.json.decode(raw, type=dict[str, object])
        config = msgspec.convert(content, TrainingConfig)
    except (ValueError, RecursionError) as error:
        reason = (
            describe_decode_error(str(error), "the configuration")
            if isinstance(error, msgspec.ValidationError)
            else error
        )
        raise MalformedError(f"{path} is not the configuration of a training run: {reason}") from error
    if complete and (missing := set(config.__struct_fields__) - content.keys()):
        raise MalformedError(
            f"{path} was kept by another version of the program: it lacks {', '.join(sorted(missing))}"
        )
    return config


def load_config(folder: Path, path: Path | None, changes: Mapping[str, object]) -> TrainingConfig:
    """Return the configuration at `path`, else that of the run in `folder`, else the default, with changes by field.

    Raises what `read_config` raises, `MalformedError` if the fields contradict each other, and `UnavailableError` or
    `MalformedError` if it names rules or networks that cannot be used.
    """
    stored = folder / CONFIG_FILE
    source = path or (stored if stored.exists() else None)
    base = read_config(source, complete=source == stored) if source else TrainingConfig()
    config = msgspec.structs.replace(base, **changes)
    try:
        msgspec.convert(msgspec.to_builtins(config), TrainingConfig)  # changes were not checked yet
    except msgspec.ValidationError as error:
        raise MalformedError(
            f"no training run can be like this: {describe_decode_error(str(error), 'the configuration')}"
        ) from error
    for name in config.rules:
        check_learnable(name)
    for name in config.opponents:
        load_opponent(name)
    if WHOLE_CHAMPION in config.opponents or config.ends_with_two:
        for name in config.rules:
            check_rounds_known(name)
    for rules, name in config.teachers.items():
        if rules not in config.rules:
            raise MalformedError(
                f"there is a teacher for {rules}, but `rules` does not name them; remove it from `teachers`"
            )
        load_teacher(name)
    if config.tables_per_iteration > config.tables:
        raise MalformedError(
            f"{config.tables_per_iteration} tables cannot play at once where there are {config.tables}"
        )
    if (shares := config.bot_table_share + config.two_learner_share + config.opponent_table_share) > 1:
        raise MalformedError(
            "bot_table_share, two_learner_share and opponent_table_share are shares of all tables, but come to"
            f" {shares:g} together"
        )
    if (decisions := config.tables_per_iteration * config.matches * config.steps) > MAX_DECISIONS:
        raise MalformedError(
            "an iteration of tables_per_iteration × matches × steps decisions holds at most"
            f" {MAX_DECISIONS:,}, not {decisions:,}"
        )
    return config


def input_digests(config: TrainingConfig) -> dict[str, str]:
    """Return the SHA-256 of everything a configuration names that may change: rulesets, opponents and teachers by name.

    Rulesets are hashed without their labels and the size of a set, which change no rule. Raises `UnavailableError` for
    a file that cannot be read.
    """
    unlabelled = {name: patched(find_rules(name), labels=Labels(), players__per_set=None) for name in config.rules}
    hashes = {name: sha256(msgspec.json.encode(rules)).hexdigest() for name, rules in unlabelled.items()}
    for name in sorted({*config.opponents, *config.teachers.values()} - {*BASELINES, WHOLE_CHAMPION}):
        try:
            hashes[name] = sha256(Path(name).read_bytes()).hexdigest()
        except OSError as error:
            raise UnavailableError(f"{name} cannot be read: {error_reason(error)}") from error
    return hashes

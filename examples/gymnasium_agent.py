"""A Gymnasium agent that learns how far a bid must exceed what it expects before it doubts: a bandit over margins."""

import sys

import numpy as np
from numpy.typing import NDArray

from liarsdice import Bid
from liarsdice_lab.envs import gym_env, make_game

GAME = make_game("perudo", seats=2)
CHALLENGE = 0
MARGINS = (-0.5, 0.0, 0.5, 1.0, 1.5, 2.0, 3.0)


def excess(observation: NDArray[np.int16], quantity: int, face: int) -> float:
    """Return by how many dice a bid exceeds what the observing seat expects; observation: int16 [field]."""
    hand, dice = GAME.field("hand", observation), GAME.field("dice", observation)
    own = hand[face - 1] + (hand[0] if face > 1 else 0)
    return float(quantity - own - dice[1:].sum() / (3 if face > 1 else 6))


def decide(observation: NDArray[np.int16], mask: NDArray[np.int8], margin: float) -> int:
    """Return the action: a challenge of a bid beyond the margin, else the safest bid; mask: int8 [action]."""
    bids = {action: bid for action in np.flatnonzero(mask) if isinstance(bid := GAME.action_from_id(int(action)), Bid)}
    quantity, face = GAME.field("standing_bid", observation)
    if mask[CHALLENGE] and (not bids or excess(observation, int(quantity), int(face)) > margin):
        return CHALLENGE
    return int(min(bids, key=lambda action: excess(observation, bids[action].quantity, bids[action].face)))


rng = np.random.default_rng(1)
wins, plays = np.ones(len(MARGINS)), np.full(len(MARGINS), 2.0)
env = gym_env("perudo", seats=2, seed=1, opponents="threshold")
for _ in range(int(sys.argv[1]) if len(sys.argv) > 1 else 1000):
    arm = int(rng.beta(wins, plays - wins).argmax())  # Thompson sampling
    observation, info = env.reset()
    done, reward = False, 0.0
    while not done:
        action = decide(observation, info["action_mask"], MARGINS[arm])
        observation, won, terminated, truncated, info = env.step(action)
        done, reward = terminated or truncated, float(won)
    wins[arm] += reward > 0
    plays[arm] += 1
for margin, won, played in zip(MARGINS, wins - 1, plays - 2, strict=True):
    print(f"margin {margin:+.1f}: {won:.0f} of {played:.0f} matches won")

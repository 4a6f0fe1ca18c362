/** Scenarios for tests: the messages that lead to each state of the table page. */
import type { Frame } from "../lib/connection";
import type { PublicMatch, PublicPlayer, PublicTable } from "../lib/protocol";
import { OWN_IDLE, CHART_CELLS, MARKED, MATCH, PLAYERS, VERDICT, rangesOf, setting, update } from "./tableFrames";
import type { Ruleset } from "../lib/gameTypes";

const CROWDED_PLAYERS: PublicPlayer[] = [
  ...PLAYERS,
  { id: 7, name: "Anneliese" },
  { id: 8, name: "Bo" },
  { id: 9, name: "Captain Birdsong", bot: "random" },
  { id: 10, name: "Quentin" },
];
const CROWDED_HANDS = [...VERDICT.reveal.hands, [2, 3, 3, 5, 6], [4, 4, 1, 4, 4], [6], [4, 5, 2]];
const CROWDED_MARKED = [...MARKED, [], [0, 1, 2, 3, 4], [], [0]];

const WITH_EXACT: Partial<Ruleset> = {
  exact_call: {
    who: "next_player",
    success_gain: 1,
    gain_cap: "starting_dice",
    at_cap: "allowed_no_gain",
    failure_loss: 1,
    bidder_loss: 0,
    others_loss: 0,
    min_players: 2,
    in_special_round: true,
    next_starter: "caller",
    if_eliminated: "next_in_turn",
    budget: null,
  },
};
const WITH_MUSTACHE: Partial<Ruleset> = {
  special_round: {
    trigger: "loses_down_to_one",
    repeat: "once_per_player",
    face_locked: true,
    lock_exempt: "none",
    min_players: 2,
  },
};
const SEATED_IN_GATHERING = { seat: 0, player: 1, hand: [], counts: [], bids: [], odds: [], challenge: false };
const WATCHING = { ...SEATED_IN_GATHERING, seat: null, player: null };
const NINE_THREES: [number, [number, number]][] = [
  [4, [4, 2]],
  [5, [5, 2]],
  [0, [6, 2]],
  [1, [6, 3]],
  [2, [9, 3]],
];
const OVER: Partial<PublicMatch> = {
  phase: "over",
  round_number: 17,
  dice: [0, 0, 2, 0, 0, 0],
  turn: null,
  bids: [],
  verdict: null,
  places: [5, 2, 1, 6, 4, 3],
  winners: [2],
  end_reason: "last_player",
};
const ACCUSED: Partial<PublicTable> = {
  accusations: [
    { number: 1, player: 4, trigger: "asks_whose_turn", dice: 1, denied: false, judges: [1], accuser: null },
  ],
};
const DENIED: Partial<PublicTable> = {
  accusations: [
    { number: 1, player: 4, trigger: "asks_whose_turn", dice: 1, denied: true, judges: [1], accuser: null },
  ],
};
const STARTED: Partial<PublicMatch> = {
  bids: [],
  round_number: 1,
  dice: [5, 5, 5, 5, 5, 5],
  turn: 0,
  starter: 0,
};

/** The messages of each scenario, in order. */
export const SCENARIOS: Record<string, Frame[]> = {
  turn: [setting(), update({}, {}, ACCUSED)],
  denied: [setting(), update({}, {}, DENIED)],
  accused: [setting(), update({}, { seat: 3, player: 4 }, ACCUSED)],
  calza: [setting(true, WITH_EXACT), update({}, { exact: true })],
  wait: [setting(), update({ turn: 1, bids: [...MATCH.bids, [0, [7, 4]]], left_ms: 19_000 }, OWN_IDLE)],
  out_of_turn: [
    setting(),
    update(
      { turn: 3, bids: NINE_THREES, round_number: 3 },
      { ...OWN_IDLE, challenge: true, counts: [0], standing_odds: 30 },
    ),
  ],
  rolling: [
    setting(),
    update(
      {
        ...STARTED,
        round_number: 0,
        phase: "deal",
        turn: null,
        starter_rolls: [{ type: "starter_rolled", rolls: [[6], [2], [3], [5], [1], [4]], tied: [] }],
      },
      OWN_IDLE,
    ),
  ],
  open: [
    setting(false),
    update(STARTED, {
      challenge: false,
      counts: [],
      bids: rangesOf(CHART_CELLS.map(([quantity, face]) => [quantity, face])),
      odds: [],
    }),
  ],
  reveal: [
    setting(),
    update({
      turn: null,
      phase: "deal",
      bids: [...MATCH.bids, [2, [9, 4]]],
      verdict: VERDICT,
      dice: [5, 5, 3, 3, 4, 2],
      ready: [1],
      watching: [0, 1, 2, 3],
      resumes_ms: 20_000,
    }),
  ],
  mustache: [
    setting(false, WITH_MUSTACHE),
    update(
      {
        bids: [],
        round_number: 9,
        dice: [5, 4, 3, 1, 4, 2],
        starter: 3,
        turn: 3,
        special_seat: 3,
        face_locked: true,
        wilds_count: false,
      },
      { ...OWN_IDLE, counts: [] },
    ),
  ],
  out: [
    setting(),
    update(
      {
        dice: [0, 3, 2, 0, 1, 2],
        turn: 2,
        round_number: 14,
        left_ms: 13_000,
        bids: [
          [4, [2, 2]],
          [5, [2, 3]],
          [1, [2, 5]],
        ],
      },
      { ...OWN_IDLE, hand: [], counts: [] },
    ),
  ],
  over: [setting(), update(OVER, { ...OWN_IDLE, hand: [], counts: [] }, { stage: "over" })],
  gathering: [setting(), update(null, SEATED_IN_GATHERING, { stage: "gathering", players: PLAYERS.slice(0, 4) })],
  guest: [
    setting(),
    update(null, { ...SEATED_IN_GATHERING, seat: 1, player: 2 }, { stage: "gathering", players: PLAYERS.slice(0, 3) }),
  ],
  join: [setting(), update(null, WATCHING, { stage: "gathering", players: PLAYERS.slice(0, 3) })],
  watch: [setting(), update({}, WATCHING)],
  paused: [setting(), update({ turn: 1, left_ms: 19_000 }, OWN_IDLE, { paused: true })],
  crowded: [
    setting(),
    update(
      { dice: [5, 5, 5, 3, 4, 2, 5, 5, 1, 3], bids: [...MATCH.bids.slice(0, 4), [6, [6, 2]], [8, [6, 4]]] },
      {},
      {
        players: CROWDED_PLAYERS,
      },
    ),
  ],
  crowd_reveal: [
    setting(),
    update(
      {
        turn: null,
        phase: "deal",
        bids: [[2, [9, 4]]],
        dice: [5, 5, 3, 3, 4, 2, 5, 5, 1, 3],
        verdict: {
          ...VERDICT,
          right: false,
          reveal: {
            ...VERDICT.reveal,
            hands: CROWDED_HANDS,
            marked: CROWDED_MARKED,
            counted: CROWDED_MARKED.map((positions) => positions.length),
            count: 13,
            bid_true: true,
          },
          losses: [{ seat: 1, dice: 4, left: 1, cause: "bid_true", to: null }],
        },
      },
      {},
      { players: CROWDED_PLAYERS },
    ),
  ],
};

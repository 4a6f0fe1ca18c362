/** Messages of the server for tests, and the scenarios that they lead to. */
import type {
  BidRange,
  PublicMatch,
  NewsItem,
  PlayerView,
  PublicPlayer,
  TableSetup,
  PublicTable,
  Update,
  DecisionFacts,
  FromTable,
  GameEvent,
  RulesForm,
  RulesResponse,
} from "../lib/protocol";
import { NO_SEAT } from "../table/tableStore.svelte";
import type { BidPair, Ruleset, Verdict } from "../lib/ruleset";

export const RULES: Ruleset = {
  players: { min: 2, max: 8 },
  dice: { per_player: 5, faces: 6, special_face: 1 },
  first_starter: { method: "high_roll", dice: 1, tie: "reroll_tied" },
  turn: { direction: "clockwise", starter_may_reverse: false, reversal_persists: true },
  bidding: {
    raise: "quantity_first",
    special_rank: "convert",
    to_special: "floor_half_plus_1",
    from_special: "double_plus_1",
    special_may_open: true,
    min_open: 1,
    max_open: null,
    cap: "dice_in_play",
    no_repeat: false,
  },
  wilds: { special_is_wild: true, suspended_by: [], needs_natural: false },
  count: { scope: "table", hand_bonus: "none" },
  challenge: { who: "next_player", tie_break: "first_received_then_in_turn_then_clockwise" },
  loss: {
    mode: "difference",
    fixed: 1,
    exact: 1,
    out_of_turn_factor: 2,
    on_exact: "challenger",
    overflow: "all_held",
    destination: "discard",
  },
  exact_call: null,
  next_starter: { rule: "loser", if_eliminated: "next_in_turn" },
  special_round: null,
  penalties: [{ trigger: "asks_whose_turn", dice: 1 }],
  penalty_timing: "end_of_round",
  table_talk: "allowed",
  end: "last_player_with_dice",
  guards: { max_rounds: null, max_bids_per_round: null },
  labels: {
    game: "Lose the difference",
    challenge: "Liar!",
    exact: "Calza!",
    special_round: "Mustache Round!",
    special_face: null,
  },
};

const CHART_CELLS: [number, number, number][] = Array.from({ length: 24 }, (_, index) => index + 1).flatMap(
  (quantity) => [
    ...[2, 3, 4, 5, 6].map((face): [number, number, number] => [quantity, face, quantity]),
    ...(quantity % 2 === 1 ? [[(quantity + 1) / 2, 1, quantity] as [number, number, number]] : []),
  ],
);

export function setting(hints = true, rules: Partial<Ruleset> = {}): TableSetup {
  return {
    type: "setting",
    code: "FLEA",
    config: {
      title: "The Crooked Spoon",
      ruleset: { ...RULES, ...rules },
      rules_name: "official",
      rules_base: "",
      seats: 6,
      clock: { turn_s: 30, bank_s: 0 },
      hints,
      training: false,
      spectators: true,
      open_cups: false,
      listed: false,
      approval: false,
      away: "bot",
      leaver: "bot",
      pace: "normal",
      best_of: 1,
      quick: false,
      bot: "inference",
    },
    faces: [2, 3, 4, 5, 6, 1],
    cells: CHART_CELLS,
    banned: [],
    locked: false,
    requests: [],
    match_rules: null,
    agreed_config: null,
  };
}

export const PLAYERS: PublicPlayer[] = [
  { id: 1, name: "Maren", host: true },
  { id: 2, name: "Tobias" },
  { id: 3, name: "Ines" },
  { id: 4, name: "Jun" },
  { id: 5, name: "Old Fitz", bot: "greedy" },
  { id: 6, name: "Wren", bot: "inference" },
];

export const MATCH: PublicMatch = {
  number: 1,
  turn_id: 31,
  phase: "bidding",
  round_number: 4,
  dice: [5, 5, 5, 3, 4, 2],
  direction: "clockwise",
  starter: 1,
  turn: 0,
  top: 24,
  bids: [
    [1, [3, 2]],
    [2, [4, 3]],
    [3, [5, 3]],
    [4, [3, 1]],
    [5, [6, 4]],
  ],
  wilds_count: true,
  special_seat: null,
  face_locked: false,
  factor: 2,
  exact_calls: [0, 0, 0, 0, 0, 0],
  pending: [0, 0, 0, 0, 0, 0],
  starter_rolls: [],
  verdict: null,
  ready: [],
  watching: [],
  places: [],
  winners: [],
  stand_ins: [],
  seeds: null,
  end_reason: null,
  left_ms: 24_000,
  turn_ms: 30_000,
  resumes_ms: null,
  speed: "normal",
  only_bots_left: false,
  guess_points: [],
  lives: [],
  pure: [],
  shown: [],
  passes: [],
  doubled: [],
};

/** All bids above a bid. */
export function bidsAbove([quantity, face]: BidPair): [number, number][] {
  const index = CHART_CELLS.findIndex((cell) => cell[0] === quantity && cell[1] === face);
  return CHART_CELLS.slice(index + 1).map(([quantity, face]): [number, number] => [quantity, face]);
}

const LEGAL = bidsAbove([6, 4]);

/** Bids as ranges of a single one each. */
function rangesOf(bids: readonly BidPair[]): BidRange[] {
  return bids.map(([quantity, face, pure = false]): BidRange => [quantity, quantity, face, pure]);
}

export const OWN: PlayerView = {
  ...NO_SEAT,
  seat: 0,
  player: 1,
  hand: [1, 4, 4, 2, 5],
  counts: [0, 1, 2],
  bids: rangesOf(LEGAL),
  odds: LEGAL.map(([quantity, face]) => Math.max(0, 100 - (face === 1 ? 2 * quantity : quantity) * 6 + face)),
  standing_odds: 97,
  exact_odds: 12,
  may_challenge: true,
};

/** The own view of a player who cannot act. */
export const OWN_IDLE: PlayerView = { ...OWN, bids: [], odds: [], may_challenge: false };

const MARKED = [[0, 1, 2], [2], [0, 4], [], [3], []];

export const VERDICT: Verdict = {
  opening: false,
  double: false,
  redoubled: false,
  exact: false,
  caller: 1,
  bidder: 2,
  out_of_turn: false,
  right: true,
  reveal: {
    type: "revealed",
    bid: { type: "bid", quantity: 9, face: 4 },
    hands: [
      [1, 4, 4, 2, 5],
      [6, 6, 4, 3, 2],
      [4, 3, 5, 5, 1],
      [2, 2, 6],
      [3, 3, 6, 4],
      [5, 6],
    ],
    marked: MARKED,
    counted: MARKED.map((places) => places.length),
    count: 7,
    bid_true: false,
    wilds_counted: true,
  },
  losses: [{ seat: 2, dice: 2, left: 3, cause: "bid_false", to: null }],
  gains: [],
  out: [],
  next_starter: 2,
  special_seat: null,
};

const bidMade = (seat: number, quantity: number, face: number): NewsItem["content"] => ({
  type: "happened",
  event: { type: "bid_made", seat, bid: { type: "bid", quantity, face } },
});
const chatMessage = (player: number, text: string): NewsItem["content"] => ({ type: "said", player, text });
const NEWS: NewsItem["content"][] = [
  { type: "happened", event: { type: "dice_lost", seat: 3, dice: 1, left: 3, cause: "bid_false", to: null } },
  chatMessage(4, "I had two of them. I swear I had two of them"),
  chatMessage(2, "you always have two of them"),
  {
    type: "happened",
    event: {
      type: "round_started",
      number: 4,
      starter: 1,
      dice: MATCH.dice,
      direction: "clockwise",
      special_seat: null,
    },
  },
  bidMade(1, 3, 2),
  chatMessage(2, "starting low, as my mother taught me"),
  bidMade(2, 4, 3),
  bidMade(3, 5, 3),
  bidMade(4, 3, 1),
  chatMessage(3, "nobody has three ones, Fitz"),
  bidMade(5, 6, 4),
  chatMessage(4, "wait, whose turn is it?"),
];

/** Events of one entry of the log. */
export function happened(seq: number, ...events: GameEvent[]): NewsItem[] {
  return events.map((event) => ({ seq, at_ms: 0, content: { type: "happened", event } }));
}

/** A chat message. */
export function said(seq: number, player: number, text: string): NewsItem {
  return { seq, at_ms: 0, content: { type: "said", player, text } };
}

/** What the server answers about rules. */
export function rulesAnswer({ rules = "", changes = {} }: RulesForm, answer: Partial<RulesResponse>): RulesResponse {
  return {
    rules,
    changes,
    base_title: "",
    title: "",
    address: "/rules/x",
    seats: [2, 5],
    ruleset: RULES,
    sections: [],
    fields: [],
    problems: [],
    warnings: [],
    simulated: true,
    ...answer,
  };
}

export function update(
  match: Partial<PublicMatch> | null,
  own: Partial<PlayerView> = {},
  table: Partial<PublicTable> = {},
  seq = 40,
): Update {
  return {
    type: "update",
    seq,
    news: NEWS.map((content, index) => ({ seq: index + 1, at_ms: 0, content })),
    table: {
      stage: "playing",
      players: PLAYERS,
      paused: false,
      accusations: [],
      stalled_at_ms: null,
      rematch: [],
      seating: [],
      begins_ms: null,
      series_winner: null,
      group: "",
      commitment: "5f2c",
      match: match && { ...MATCH, ...match },
      ...table,
    },
    own: { ...OWN, ...own },
  };
}

const CROWDED_PLAYERS: PublicPlayer[] = [
  ...PLAYERS,
  { id: 7, name: "Anneliese" },
  { id: 8, name: "Bo" },
  { id: 9, name: "Captain Birdsong", bot: "random" },
  { id: 10, name: "Quentin" },
];
const CROWDED_HANDS = [...VERDICT.reveal.hands, [2, 3, 3, 5, 6], [4, 4, 1, 4, 4], [6], [4, 5, 2]];
const CROWDED_MARKED = [...MARKED, [], [0, 1, 2, 3, 4], [], [0]];

export const WITH_EXACT: Partial<Ruleset> = {
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
export const MUSTACHE_ROUND: NonNullable<Ruleset["special_round"]> = {
  trigger: "loses_down_to_one",
  repeat: "once_per_player",
  face_locked: true,
  lock_exempt: "none",
  min_players: 2,
};
const SEATED_IN_GATHERING = { seat: 0, player: 1, hand: [], counts: [], bids: [], odds: [], may_challenge: false };
const WATCHING = { ...SEATED_IN_GATHERING, seat: null, player: null };
const NINE_THREES: [number, [number, number]][] = [
  [4, [4, 2]],
  [5, [5, 2]],
  [0, [6, 2]],
  [1, [6, 3]],
  [2, [9, 3]],
];
export const OVER: Partial<PublicMatch> = {
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
const ACCUSATION: PublicTable["accusations"][number] = {
  number: 1,
  player: 4,
  trigger: "asks_whose_turn",
  dice: 1,
  denied: false,
  offence: "",
  judges: [],
  accuser: 3,
  takes: 0,
  passes: 0,
};
const ACCUSED: Partial<PublicTable> = { accusations: [ACCUSATION] };
const DENIED: Partial<PublicTable> = { accusations: [{ ...ACCUSATION, denied: true, judges: [1, 2], passes: 1 }] };
const STARTED: Partial<PublicMatch> = {
  bids: [],
  round_number: 1,
  dice: [5, 5, 5, 5, 5, 5],
  turn: 0,
  starter: 0,
};

/** The messages of each scenario, in order. */
export const SCENARIOS: Record<string, FromTable[]> = {
  turn: [setting(), update({}, {}, ACCUSED)],
  denied: [setting(), update({}, {}, DENIED)],
  accused: [setting(), update({}, { seat: 3, player: 4 }, ACCUSED)],
  calza: [setting(true, WITH_EXACT), update({}, { may_call_exact: true })],
  wait: [setting(), update({ turn: 1, bids: [...MATCH.bids, [0, [7, 4]]], left_ms: 19_000 }, OWN_IDLE)],
  out_of_turn: [
    setting(),
    update(
      { turn: 3, bids: NINE_THREES, round_number: 3 },
      { ...OWN_IDLE, may_challenge: true, counts: [0], standing_odds: 30 },
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
      may_challenge: false,
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
    setting(false, { special_round: MUSTACHE_ROUND }),
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

/** An opening bid of one die in round 1, with these changes. */
export function decisionFacts(changes: Partial<DecisionFacts>): DecisionFacts {
  return {
    number: 0,
    round_number: 1,
    seat: 0,
    hand: [2, 4],
    bid: null,
    bidder: null,
    wilds_count: true,
    on_turn: true,
    move: { type: "bid", quantity: 1, face: 2 },
    standing_count: null,
    made_count: null,
    ...changes,
  };
}

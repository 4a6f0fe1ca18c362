/** Messages of a server about one table and match, for tests. */
import type {
  BidRange,
  PublicMatch,
  NewsItem,
  PlayerView,
  PublicPlayer,
  TableSetup,
  PublicTable,
  Update,
} from "../lib/protocol";
import type { BidPair, Ruleset, Verdict } from "../lib/gameTypes";

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

export const CHART_CELLS: [number, number, number][] = Array.from({ length: 24 }, (_, index) => index + 1).flatMap(
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
      pace: "normal",
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
};

/** All bids above a bid. */
export function bidsAbove([quantity, face]: BidPair): [number, number][] {
  const index = CHART_CELLS.findIndex((cell) => cell[0] === quantity && cell[1] === face);
  return CHART_CELLS.slice(index + 1).map(([quantity, face]): [number, number] => [quantity, face]);
}

export const LEGAL = bidsAbove([6, 4]);

/** Bids as ranges of a single one each. */
export function rangesOf(bids: readonly BidPair[]): BidRange[] {
  return bids.map(([quantity, face, pure = false]): BidRange => [quantity, quantity, face, pure]);
}

export const OWN: PlayerView = {
  seat: 0,
  player: 1,
  hand: [1, 4, 4, 2, 5],
  counts: [0, 1, 2],
  bids: rangesOf(LEGAL),
  unlimited: false,
  odds: LEGAL.map(([quantity, face]) => Math.max(0, 100 - (face === 1 ? 2 * quantity : quantity) * 6 + face)),
  standing_odds: 97,
  exact_odds: 12,
  challenge: true,
  exact: false,
  directions: [],
  cups: [],
  guess: null,
  may_guess: false,
};

/** The own view of a player who cannot act. */
export const OWN_IDLE: PlayerView = { ...OWN, bids: [], odds: [], challenge: false };

export const MARKED = [[0, 1, 2], [2], [0, 4], [], [3], []];

export const VERDICT: Verdict = {
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
      commitment: "5f2c",
      match: match && { ...MATCH, ...match },
      ...table,
    },
    own: { ...OWN, ...own },
  };
}

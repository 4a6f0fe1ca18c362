/** Shows a finished match on the table: its steps become messages like those of a live match. */
import { BoardState } from "../board/boardState.svelte";
import type { BidPair, Verdict } from "../lib/ruleset";
import type { PublicMatch, PublicPlayer, TableSetup } from "../lib/protocol";
import { TableStore } from "../table/tableStore.svelte";
import { finalPlaces, isBotSeat, type MatchRecord } from "./matchRecord";
import type { TableSnapshot } from "./playback.svelte";

/** The state of the table in a replay. It has no connection. */
export class ReplayTable {
  readonly table: TableStore;
  readonly board: BoardState;
  #record: MatchRecord | null = null;
  #shown = 0;

  constructor(code: string) {
    this.table = new TableStore(code);
    this.board = new BoardState(this.table, false);
  }

  /** Shows a step. `open` shows all dice, not only revealed ones. */
  show(record: MatchRecord, snapshot: TableSnapshot, open: boolean): void {
    if (record !== this.#record) this.table.receive(setupOf(record, this.table.code));
    this.#record = record;
    this.#shown += 1;
    this.board.replayHands = open && !snapshot.reveal && snapshot.winners.length === 0 ? snapshot.hands : null;
    this.board.replayBlind = snapshot.reveal ? [] : snapshot.blind;
    this.table.receive({
      type: "update",
      seq: this.#shown,
      news: [],
      table: {
        stage: snapshot.winners.length > 0 ? "over" : "playing",
        players: playersOf(record),
        paused: false,
        accusations: [],
        stalled_at_ms: null,
        rematch: [],
        seating: [],
        begins_ms: null,
        series_winner: null,
        group: "",
        commitment: "",
        match: matchOf(record, snapshot, this.#shown),
      },
      own: { ...this.table.own, seat: null, player: null },
    });
    const { call } = snapshot;
    const word = record.start.ruleset.labels[call?.exact ? "exact" : "challenge"];
    this.board.talk.lines = call && !snapshot.reveal ? { [call.seat + 1]: word } : {};
  }
}

/** The players of a record, as their table shows them. */
export function playersOf(record: MatchRecord): PublicPlayer[] {
  // at the table ids count from 1, and the pictures of players depend on them
  return record.start.names.map((name, seat) => ({
    id: seat + 1,
    name,
    ...(isBotSeat(record, seat) ? { bot: "bot" } : {}),
  }));
}

function setupOf({ start: { ruleset, names } }: MatchRecord, code: string): TableSetup {
  return {
    type: "setting",
    code,
    config: {
      title: code,
      ruleset,
      rules_name: "",
      rules_base: "",
      seats: names.length,
      clock: { turn_s: null, bank_s: 0 },
      hints: false,
      training: false,
      open_cups: false,
      spectators: true,
      listed: false,
      approval: false,
      away: "wait",
      leaver: "bot",
      bot: "",
      pace: "normal",
      best_of: 1,
      quick: false,
    },
    faces: [],
    cells: [],
    banned: [],
    locked: false,
    requests: [],
    match_rules: null,
    agreed_config: null,
  };
}

/** The match after a step. Its number is that of the step, so that every step is shown at once. */
function matchOf(record: MatchRecord, snapshot: TableSnapshot, number: number): PublicMatch {
  const { round, dice, lives, hands, shownCounts, bids, standingBid, passers, starter, specialSeat, winners } =
    snapshot;
  const earlier = bids.flatMap((bid, seat): [number, BidPair][] =>
    bid && seat !== standingBid?.seat ? [[seat, bid]] : [],
  );
  const made = standingBid ? [...earlier, [standingBid.seat, standingBid.bid] as const] : earlier;
  const noPenalties = dice.map(() => 0);
  return {
    number,
    turn_id: number,
    phase: winners.length > 0 ? "over" : hands.some((hand) => hand.length > 0) ? "bidding" : "deal",
    round_number: round,
    dice: [...dice],
    lives: [...lives],
    direction: "clockwise",
    starter,
    turn: null,
    top: null,
    bids: made.map(([seat, [quantity, face]]) => [seat, [quantity, face]]),
    shown: hands.map((hand, seat) => hand.slice(0, shownCounts[seat])),
    claimed: snapshot.claimed,
    passes: passers.map((seat) => [seat, made.length]),
    pure: [...made.keys()].filter((place) => made[place]?.[1][2]),
    wilds_count: true,
    special_seat: specialSeat,
    face_locked: false,
    factor: 1,
    exact_calls: noPenalties,
    pending: noPenalties,
    starter_rolls: [],
    verdict: verdictOf(snapshot),
    ready: [],
    watching: [],
    places: winners.length > 0 ? finalPlaces(record) : [],
    stand_ins: winners.length > 0 ? record.standIns : [],
    winners: [...winners],
    end_reason: null,
    seeds: null,
    left_ms: null,
    turn_ms: null,
    resumes_ms: null,
    speed: "at_once",
    only_bots_left: false,
    guess_points: [],
    doubled: [],
  };
}

/** The call of the round with the losses and gains so far, null before the hands are revealed. */
function verdictOf({ call, reveal, standingBid, dice, lives, livesBefore }: TableSnapshot): Verdict | null {
  if (!call || !reveal || !standingBid) return null;
  const left = lives.length > 0 ? lives : dice;
  const changes = reveal.hands.map((hand, seat) => ({
    seat,
    dice: (livesBefore[seat] ?? hand.length) - (left[seat] ?? 0),
    left: left[seat] ?? 0,
    cause: "bid_false" as const,
    to: null,
  }));
  return {
    exact: call.exact,
    caller: call.seat,
    bidder: call.passer ?? standingBid.seat,
    out_of_turn: false,
    right:
      call.passer !== undefined
        ? reveal.pass_hand === null
        : call.exact
          ? reveal.count === reveal.bid.quantity
          : !reveal.bid_true,
    reveal,
    losses: changes.filter((change) => change.dice > 0),
    gains: changes.filter((change) => change.dice < 0).map((change) => ({ ...change, dice: -change.dice })),
    out: [],
    next_starter: null,
    special_seat: null,
    opening: false,
    double: false,
    redoubled: false,
  };
}

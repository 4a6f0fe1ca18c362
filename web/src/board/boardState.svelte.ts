/** What the board shows: its mode, the seats around it and the standing bid. Derived from the `TableStore`. */
import { getContext, setContext } from "svelte";
import type { NewsItem } from "../lib/protocol";
import { anteOf, isFaceOff, SUM_FACE, bidPair, type BidPair } from "../lib/ruleset";
import type { TableStore } from "../table/tableStore.svelte";
import { TableTalk } from "../voices/tableTalk.svelte";
import { RevealAnimation } from "../reveal/revealAnimation.svelte";
import type { PastCall } from "../reveal/missedCalls";
import type { Narrator } from "../lib/narrator";

/** How far the page has shown a reveal: the call, then the count of all hands, then who was right and who loses dice. */
export type RevealStage = "called" | "counted" | "told";

/** How many events of the entry with the call each stage tells: the call itself, and then the count. */
const TOLD_EVENTS = { called: 1, counted: 2, told: Infinity } as const;

/** The news without the events of the latest call that the page has not shown yet. */
export function toldNews(news: readonly NewsItem[], stage: RevealStage): readonly NewsItem[] {
  if (stage === "told") return news;
  const seq = news.findLast(isCall)?.seq;
  const first = news.findIndex((item) => item.seq === seq);
  return news.filter((item, index) => item.seq !== seq || index - first < TOLD_EVENTS[stage]);
}

/** The lives that a seat has lost after an entry of the log, less those that it has won. */
function livesLostAfter(news: readonly NewsItem[], seq: number, seat: number): number {
  let lost = 0;
  for (const item of news) {
    if (item.seq <= seq || item.content.type !== "happened") continue;
    const { event } = item.content;
    if (event.type === "lives_lost") lost += event.lives * (Number(event.seat === seat) - Number(event.to === seat));
    else if (event.type === "lives_gained" && event.seat === seat) lost -= event.lives;
  }
  return lost;
}

const CALLS: ReadonlySet<string> = new Set(["challenged", "exact_called", "pass_challenged"]);

function isCall({ content }: NewsItem): boolean {
  return content.type === "happened" && CALLS.has(content.event.type);
}

/** The number of rolls that are shown slowly. */
const SLOW_ROLLS = 3;
const QUICK_FACTOR = 0.55;
/** When the dice leave the cup, and when the last one lies still. */
export const THROW_MS = 1130;
export const ROLL_MS = 2900;

/** The state of the roll on the board. */
export class RollClock {
  /** Whether cups shake and dice tumble. */
  rolling = $state(false);
  /** How often the cup has been shaken; a change starts the roll anew. */
  count = $state(0);
  /** A factor on all times. */
  factor = $state(1);

  #timer: ReturnType<typeof setTimeout> | undefined;
  #key = "";
  #shownCount = 0;

  /** Rolls if `key`, which names the round, is a new one. `shown`: whether anybody could see it. */
  follow(key: string, shown: boolean): void {
    if (key === this.#key) return;
    this.#key = key;
    if (!shown) this.finish();
    else this.roll(this.#shownCount++ < SLOW_ROLLS ? 1 : QUICK_FACTOR);
  }

  /** Starts a roll. Without motion it is over at once. */
  roll(factor = QUICK_FACTOR): void {
    this.finish();
    this.count += 1;
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    this.factor = factor;
    this.rolling = true;
    this.#timer = setTimeout(() => (this.rolling = false), ROLL_MS * factor);
  }

  /** Skips to the end. */
  finish(): void {
    clearTimeout(this.#timer);
    this.rolling = false;
  }
}

/** `gathering`: before a match. `over`: after it. */
type BoardMode = "loading" | "gathering" | "bidding" | "reveal" | "over";

/** The state of the board for one viewer. */
export class BoardState {
  readonly table: TableStore;
  readonly reveal = new RevealAnimation();
  readonly talk = new TableTalk();
  readonly roll = new RollClock();
  /** Whether the confetti at the end of a match has fallen. */
  celebrated = $state(false);

  /** Calls that the viewer has missed and not looked at yet, offered while no outcome is still to be told. */
  missedCalls: readonly PastCall[] = $state.raw([]);
  /** The missed call that the board shows, null if it shows the match. */
  missedCall: PastCall | null = $state.raw(null);

  /** The hands of all seats at a step of a replay. */
  replayHands: readonly (readonly number[])[] | null = $state.raw(null);
  /** The seats that may not look at their own dice at a step of a replay. */
  replayBlind: readonly number[] = $state.raw([]);
  /** Hands that are shown although nobody has called, by seat: in a replay, and to a player who is out. */
  openHands: readonly (readonly number[])[] | null = $derived.by(() => {
    const { cups } = this.table.own;
    return this.replayHands ?? (cups.length > 0 && this.mode === "bidding" ? cups : null);
  });
  /** Whether seats show dice. */
  showsHands: boolean = $derived.by(() => this.mode === "reveal" || this.openHands !== null);

  /** `interactive`: whether seats lead to a menu and special rounds are announced, as at a live table. */
  constructor(
    table: TableStore,
    readonly interactive = true,
  ) {
    this.table = table;
    table.onUpdate = () => {
      this.#followReveal();
      this.#followRoll();
      this.hear();
    };
  }

  /** Shows the next missed call, after the last one the match again. */
  showMissedCall(): void {
    const [call, ...later] = this.missedCalls;
    this.missedCalls = later;
    this.missedCall = call ?? null;
    if (call) this.reveal.start(call.verdict, `missed/${call.seq}`);
    else this.#followReveal(true);
  }

  /** Shows what has been said, as far as the reveal lets it be told. */
  hear(): void {
    this.talk.hear(this.news, !this.table.hasHistory);
  }

  /**
   * The lives that a seat shows, null in a match for dice: what a call costs is told at its end, also that of a missed
   * one, and until then the ante is in the pot.
   */
  lives(seat: number): number | null {
    const now = this.table.match?.lives[seat];
    if (now === undefined) return null;
    const since = this.missedCall ? livesLostAfter(this.table.news, this.missedCall.seq, seat) : 0;
    return now + since + this.reveal.untold(seat) - (this.#isInRound(seat) ? anteOf(this.narrator.rules) : 0);
  }

  /** Whether a seat plays the round under way, or the one of the call whose outcome is still to be told. */
  #isInRound(seat: number): boolean {
    if (this.mode === "bidding") return (this.table.match?.dice[seat] ?? 0) > 0;
    return this.mode === "reveal" && !this.reveal.done && (this.reveal.verdict?.reveal.hands[seat]?.length ?? 0) > 0;
  }

  #followedReveal = "";

  /**
   * Starts or ends the reveal with the update that brings or drops its verdict, before anything is rendered. `back`: from
   * a missed call, so that the reveal has been seen. A new call ends the look at a missed one.
   */
  #followReveal(back = false): void {
    const { match, state } = this.table;
    const verdict = match?.verdict ?? null;
    const key = match ? `${match.number}/${verdict ? match.round_number : "none"}` : "";
    const alreadyOver = state?.stage === "over" && !this.table.sawMatch;
    const instant = back || !this.table.hasHistory || match?.speed === "at_once";
    if (this.missedCall && (!verdict || key === this.#followedReveal)) return;
    this.missedCall = null;
    this.#followedReveal = key;
    this.reveal.start(alreadyOver ? null : verdict, alreadyOver ? "late" : key, {
      instant,
      fast: match?.speed === "fast",
    });
    if (match?.speed === "at_once") this.reveal.dismissed = true;
  }

  /** Rolls the dice when a round begins. */
  #followRoll(): void {
    const { match, hasHistory } = this.table;
    const inRound = match?.phase === "bidding" && match.speed !== "at_once";
    this.roll.follow(this.#round, hasHistory && this.interactive && inRound && match.bids.length === 0);
  }

  /** The news that may be told: without the outcome of a call whose reveal is still on. */
  news: readonly NewsItem[] = $derived.by(() =>
    toldNews(this.table.news, this.missedCall ? "told" : this.reveal.stage),
  );

  /** Whether the match is over and its last reveal has told so. */
  isOver: boolean = $derived.by(() => this.table.state?.stage === "over" && this.reveal.stage === "told");

  mode: BoardMode = $derived.by(() => {
    const { state, match } = this.table;
    if (!state) return "loading";
    if (this.missedCall) return "reveal";
    if (state.stage === "gathering" || !match) return "gathering";
    if (state.stage === "over") return this.reveal.verdict && !this.reveal.dismissed ? "reveal" : "over";
    return this.reveal.verdict ? "reveal" : "bidding";
  });

  /** The number of seats in the match, before it those of the table. */
  seatCount = $derived.by(() => {
    const { state, match, players, setting } = this.table;
    if (state?.stage === "gathering") return Math.max(setting?.config.seats ?? 0, players.length);
    return match?.dice.length ?? 0;
  });

  /** The viewer's seat, null for spectators. Before a match every player has one. */
  ownSeat: number | null = $derived.by(() =>
    this.table.state?.stage === "gathering" ? this.table.own.seat : this.table.seat,
  );

  /** All other seats, clockwise from the viewer's left. */
  otherSeats: number[] = $derived.by(() => {
    const first = this.ownSeat === null ? 0 : this.ownSeat + 1;
    const count = this.ownSeat === null ? this.seatCount : this.seatCount - 1;
    return Array.from({ length: Math.max(count, 0) }, (_, index) => (first + index) % this.seatCount);
  });

  /** Whether seats are drawn small because there are many. */
  crowded: boolean = $derived.by(() => this.otherSeats.length > 5);

  /** Whether there are so many that each has a small card: in three rows, or along the sides of a long table. */
  packed: boolean = $derived.by(() => this.otherSeats.length > MAX_ON_ARC);

  /** The bids of the round with their seats, in order. */
  bids: [number, BidPair][] = $derived.by(() => {
    const { bids = [], pure = [] } = this.table.match ?? {};
    return bids.map(([seat, [quantity, face]], place) => [
      seat,
      bidPair({ quantity, face, pure: pure.includes(place) }),
    ]);
  });

  /** The standing bid and its bidder, null before the first bid. */
  standingBid: { seat: number; bid: BidPair } | null = $derived.by(() => {
    const last = this.bids.at(-1);
    return last ? { seat: last[0], bid: last[1] } : null;
  });

  /** Input of the sentences about the match. */
  narrator: Narrator = $derived.by(() => this.table.narrator);

  /** Whether a special round is on. */
  isSpecialRound = $derived.by(() => {
    if (this.mode === "over" || this.mode === "gathering") return false;
    // during a reveal the match has the special seat of the next round already
    const seat = this.mode === "reveal" ? this.#specialSeatOfRound : this.table.match?.special_seat;
    return (seat ?? null) !== null;
  });

  /** Whether the bids of the round that is on are sums of both dice. */
  isFaceOff = $derived.by(() => {
    if (this.standingBid) return this.standingBid.bid[1] === SUM_FACE;
    const { match, rules } = this.table;
    return this.mode === "bidding" && match?.special_seat === null && isFaceOff(rules, match.dice);
  });

  #closedSpecialRound = $state("");

  /** Whether the announcement of a special round is open: until it is closed or the first bid is made. */
  announcesSpecialRound: boolean = $derived.by(() => {
    const { match } = this.table;
    return (
      this.interactive &&
      this.mode === "bidding" &&
      match?.phase === "bidding" &&
      match.special_seat !== null &&
      match.bids.length === 0 &&
      this.#closedSpecialRound !== this.#round
    );
  });

  closeSpecialRound(): void {
    this.#closedSpecialRound = this.#round;
  }

  get #round(): string {
    const { match } = this.table;
    return `${match?.number ?? 0}/${match?.round_number ?? 0}`;
  }

  /** Whose special round the latest one is: since it started, or since its opener declared it. */
  get #specialSeatOfRound(): number | null {
    for (const { content } of this.table.news.toReversed()) {
      if (content.type !== "happened") continue;
      if (content.event.type === "special_declared") return content.event.seat;
      if (content.event.type === "kind_chosen" && content.event.kind !== "ordinary") return content.event.seat;
      if (content.event.type === "round_started") return content.event.special_seat;
    }
    return null;
  }

  /** The latest bid of a seat in this round. */
  latestBid(seat: number): BidPair | null {
    return this.bids.findLast(([bidder]) => bidder === seat)?.[1] ?? null;
  }
}

const KEY = Symbol("board");

/** Makes the state available to child components. */
export function provideBoard(board: BoardState): BoardState {
  return setContext(KEY, board);
}

/** The state that a parent component provided. */
export function useBoard(): BoardState {
  return getContext<BoardState>(KEY);
}

/** The most other seats that lie on the arc of an oval. */
const MAX_ON_ARC = 9;

interface SeatPosition {
  x: number;
  y: number;
  side: "left" | "right" | "top";
  heading: number;
}

/**
 * Positions for `count` other seats around a table, clockwise from the left: an oval, or a long table for many. `x` and
 * `y` are percentages of the table, `side` is the edge that the seat is at, and `heading` the way clockwise from there,
 * in degrees.
 */
export function seatPositions(count: number): SeatPosition[] {
  if (count > MAX_ON_ARC) return longTable(count);
  // degrees; few seats stay above the middle, because revealed hands do not fit beside the standing bid
  const spread = [0, 0, 140, 140][count] ?? 222;
  return Array.from({ length: count }, (_, index) => {
    const degrees = 270 + (count === 1 ? 0 : (index / (count - 1) - 0.5) * spread);
    const angle = (degrees * Math.PI) / 180;
    const [x, y] = [50 + 45.5 * Math.cos(angle), 49 + 43 * Math.sin(angle)];
    return { x, y, side: x < 38 ? "left" : x > 62 ? "right" : "top", heading: degrees + 90 };
  });
}

/** Where `count` seats are along three sides of a long table: at most five at each end of it, the others at the top. */
function longTable(count: number): SeatPosition[] {
  const ends = Math.min(5, Math.ceil(count / 4));
  const top = count - 2 * ends;
  /** The place of one of `places` between two percentages. */
  const between = (from: number, to: number, place: number, places: number): number =>
    from + ((to - from) * place) / Math.max(1, places - 1);
  return Array.from({ length: count }, (_, index) => {
    if (index < ends) return { x: 7, y: between(70, 26, index, ends), side: "left", heading: 270 };
    if (index < ends + top) return { x: between(6, 94, index - ends, top), y: 7, side: "top", heading: 0 };
    return { x: 93, y: between(26, 70, index - ends - top, ends), side: "right", heading: 90 };
  });
}

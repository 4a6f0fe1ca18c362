/** The state of a live table, built from the messages of the server. */
import { getContext, setContext } from "svelte";
import type {
  Accusation,
  Direction,
  PublicTable,
  PublicMatch,
  NewsItem,
  PlayerView,
  PublicPlayer,
  Problem,
  Command,
  FromTable,
  TableSetup,
  Update,
} from "../lib/protocol";
import { commitmentOf, isLeftOut, wasRevealed, keepCommitment, keepPromise, newCommitment } from "../lib/seeds";
import { Connection, type ConnectionStatus } from "../lib/connection";
import { t } from "../lib/i18n.svelte";
import type { Narrator } from "../lib/narrator";
import type { Ruleset } from "../lib/ruleset";
import type { Renamed } from "../seats/avatarTraits";

/**
 * `left_out`: the server published other commitments than it had confirmed. `not_asked`: it rolled the dice without
 * asking this page for its seed, as it also does if the page has lost its connection then. `too_late`: the dice were
 * rolled before this page was first connected.
 */
interface SeedWarning {
  number: number;
  kind: "left_out" | "not_asked" | "too_late";
}

/** What to tell a player, null for nothing. `before`: the same before, undefined in the first update of the page. */
function seedWarning(
  code: string,
  { stage, match }: PublicTable,
  seat: number | null,
  before: SeedWarning | null | undefined,
): SeedWarning | null {
  if (stage !== "playing" || !match || seat === null || seat >= match.dice.length) return null;
  const { number, seeds } = match;
  if (before?.number === number && before.kind !== "not_asked") return before;
  if (seeds) return isLeftOut(code, number, seeds.commitments) ? { number, kind: "left_out" } : null;
  const unused = commitmentOf(code, number) !== null && !wasRevealed(code, number);
  return unused ? { number, kind: before === undefined ? "too_late" : "not_asked" } : null;
}

/** The view of somebody who may do nothing. */
export const NO_SEAT: PlayerView = {
  seat: null,
  player: null,
  hand: [],
  counts: [],
  bids: [],
  unlimited: false,
  odds: [],
  standing_odds: null,
  exact_odds: null,
  may_challenge: false,
  may_call_exact: false,
  may_set_direction: [],
  cups: [],
  guess: null,
  may_guess: false,
  showable: [],
  pure_showable: [],
  may_double: false,
  may_declare: false,
  may_reroll: false,
  may_pass: false,
  may_challenge_pass: false,
  pass_odds: null,
  may_answer: [],
  may_choose_kind: [],
  may_claim_exact: false,
};

const MAX_NEWS = 300;
/** Holds the latest state of one table and sends commands to it. */
export class TableStore {
  status = $state<ConnectionStatus>("connecting");
  setting = $state.raw<TableSetup | null>(null);
  state = $state.raw<PublicTable | null>(null);
  own = $state.raw<PlayerView>(NO_SEAT);
  seq = $state(0);
  news = $state.raw<NewsItem[]>([]);
  /** Ids of connected players, null until the server sends them. */
  connectedPlayers = $state.raw<number[] | null>(null);
  spectatorCount = $state(0);
  /** When a bot plays for the player on turn, who is away, in the time of `performance.now()`; null if no bot will. */
  takeoverAt: number | null = $state(null);
  problems = $state.raw<(Problem & { key: number })[]>([]);
  /** Ids of requests without an answer. */
  pendingRequests = $state.raw<string[]>([]);
  /** The latest command that the server refused. */
  refusedId: string | null = $state(null);
  /** The promises of the latest matches, the newest first. */
  commitments = $state.raw<readonly { number: number; commitment: string }[]>([]);
  /** What the player must know about the seeds of the match, null for nothing. */
  seedWarning = $state.raw<SeedWarning | null>(null);
  /** When the page noticed that a player is away, by player id, in the time of `performance.now()`. */
  awaySince = $state.raw<Record<number, number>>({});
  /** Called after each update, before anything is rendered. */
  onUpdate: () => void = () => undefined;
  /** The id of the latest request to become host. */
  hostRequestId: string | null = null;
  /** When the latest update came, in the time of `performance.now()`. */
  updatedAt = $state(0);
  /** The seq of the first update. Messages up to it count as read. */
  firstSeq = $state(0);
  /** Whether an earlier update came before the latest one, so that changes may be animated. */
  hasHistory = $state(false);
  /** Whether the page saw the match before its end, and so shows the last reveal. */
  sawMatch = $state(false);
  /** Whether others play a rematch, while the viewer still looks at the result of the match before. */
  rematchBegan = $state(false);

  match: PublicMatch | null = $derived(this.state?.match ?? null);
  /** The rules of the current or latest match; before the first one, those of the table. */
  rules: Ruleset | undefined = $derived(rulesOf(this.setting, this.match !== null));
  players: PublicPlayer[] = $derived(this.state?.players ?? []);
  /** The viewer as a player, null for spectators. */
  me: PublicPlayer | null = $derived(this.players.find((player) => player.id === this.own.player) ?? null);
  /** The viewer's seat in the match, null for spectators and players who joined after its start. */
  seat: number | null = $derived(
    this.own.seat !== null && this.match && this.own.seat < this.match.dice.length ? this.own.seat : null,
  );
  myTurn = $derived(this.seat !== null && this.match?.turn === this.seat && this.state?.stage === "playing");
  #goesOn = $derived(this.state?.stage === "playing" && !this.state.paused);
  /** The player for whom the match waits, if they are away. */
  awayOnTurn: PublicPlayer | null = $derived.by(() => {
    const player = this.#goesOn ? this.players[this.match?.turn ?? -1] : undefined;
    return player && !player.stand_in && this.isAway(player) ? player : null;
  });
  /** The players for whom bots play until they come back. */
  replaced: PublicPlayer[] = $derived(
    this.#goesOn ? this.players.filter(({ stand_in, gone }) => stand_in && !gone) : [],
  );
  eliminated = $derived(this.seat !== null && this.match?.dice[this.seat] === 0);
  busy = $derived(this.pendingRequests.length > 0);
  /** Which round it is, and the direction in which it is played. */
  #roundDirection = $derived(`${this.match?.number} ${this.match?.round_number} ${this.match?.direction}`);
  /** The direction of play. The viewer's own choice is sent with the bid, and can be taken back until then. */
  direction: Direction = $derived(this.#roundDirection.endsWith("anticlockwise") ? "anticlockwise" : "clockwise");
  /** The seat that plays after the one on turn, null if nobody is on turn or only two play. */
  nextSeat: number | null = $derived(nextSeatOf(this.match, this.direction));

  readonly #connection: Connection;
  readonly #narrators = new WeakMap<NewsItem, Narrator>();
  readonly #names: Record<number, string> = {};
  readonly #sentCommitments: Record<string, string> = {};
  #quietRequests: readonly string[] = [];
  /** What came since then. */
  #withheld: FromTable[] = [];
  #problemCount = 0;
  /** How many buttons of calls on the standing bid the viewer has; that of an exact call is that of a claim, too. */
  callCount = $derived.by(() => {
    const { may_challenge, may_double, may_call_exact, may_claim_exact } = this.own;
    return [may_challenge, may_double, may_call_exact || may_claim_exact].filter(Boolean).length;
  });
  /** The command that follows the viewer's choice of a direction. */
  #afterDirection: Command | null = null;

  /** `spectate`: the page only watches, also if this browser holds a seat. */
  constructor(
    readonly code: string,
    spectate = false,
  ) {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    this.#connection = new Connection(`${scheme}://${location.host}/ws/${encodeURIComponent(code)}`, {
      spectate,
      lastSeq: () => this.seq,
      onFrame: (frame) => this.receive(frame),
      onStatus: (status) => (this.status = status),
    });
  }

  start(): void {
    this.#connection.start();
  }

  stop(): void {
    this.#connection.stop();
  }

  /** Reconnects, for example because this browser now has a seat. */
  reconnect(): void {
    this.#connection.reconnect();
  }

  /** Sends a command, before the opening bid a chosen direction. `busy` is true until the server answers. */
  request(command: Command): void {
    const { direction } = this;
    if (this.own.may_set_direction.length > 0 && direction !== this.match?.direction && OPENINGS.has(command.type)) {
      this.#afterDirection = command;
      command = { type: "set_direction", direction };
    }
    this.pendingRequests = [...this.pendingRequests, this.send(command)];
  }

  /** Requests to replace a host who is away. */
  becomeHost(): void {
    if (this.own.player === null) return;
    this.hostRequestId = this.send({ type: "make_host", player: this.own.player });
    this.pendingRequests = [...this.pendingRequests, this.hostRequestId];
  }

  /** Sends a command without waiting for the answer. Returns its id. */
  send(command: Command): string {
    return this.#connection.request(command, this.match?.turn_id ?? 0);
  }

  /** Sends a command of the page itself. The player does not learn of a refusal. */
  sendQuietly(command: Command): string {
    const id = this.send(command);
    this.#quietRequests = [...this.#quietRequests, id].slice(-4);
    return id;
  }

  /** Commits to a new seed for the next match. */
  commitToSeed(): void {
    const commitment = newCommitment();
    this.#sentCommitments[this.sendQuietly({ type: "commit_seed", commitment })] = commitment;
  }

  /** Keeps a commitment to a seed for the next match, which the server has confirmed. */
  commitmentConfirmed(commitment: string): void {
    keepCommitment(this.code, (this.match?.number ?? 0) + 1, commitment);
  }

  /** Applies a message of the server. */
  receive(frame: FromTable): void {
    if (frame.type === "setting" || frame.type === "update") {
      this.rematchBegan ||= this.#beginsWithoutViewer(frame);
      if (this.rematchBegan) {
        this.#withheld.push(frame);
        if (frame.type === "update" && frame.table.stage !== "playing") this.watchRematch();
        return;
      }
    }
    switch (frame.type) {
      case "setting":
        this.setting = frame;
        break;
      case "update":
        this.#update(frame);
        break;
      case "presence":
        this.connectedPlayers = frame.connected;
        this.spectatorCount = frame.watching;
        this.takeoverAt = typeof frame.bot_ms === "number" ? performance.now() + frame.bot_ms : null;
        this.#updateAwaySince();
        break;
      case "done":
        this.#completeRequest(frame.id);
        this.#completeCommitment(frame.id);
        break;
      case "problem":
        if (frame.id && this.#quietRequests.includes(frame.id)) break;
        if (frame.id) this.#completeRequest(frame.id);
        this.#afterDirection = null;
        this.refusedId = frame.id;
        // the close code of the connection says these two
        if (frame.code !== "no_such_table" && frame.code !== "no_spectators") this.showProblem(frame);
        break;
    }
  }

  /** Shows the rematch that has begun without the viewer, or its result. */
  watchRematch(): void {
    const frames = this.#withheld;
    this.#withheld = [];
    this.rematchBegan = false;
    this.state = null; // so that the update that began the match is not withheld again
    for (const frame of frames) {
      if (frame.type === "update" && frame.table.stage !== "playing") this.sawMatch = false;
      this.receive(frame);
    }
  }

  /** Whether a message takes a player from the result of a match to one that others play. */
  #beginsWithoutViewer(frame: FromTable): boolean {
    if (frame.type !== "update" || this.state?.stage !== "over" || this.own.player === null) return false;
    return frame.table.stage === "playing" && frame.own.player === this.own.player && frame.own.seat === null;
  }

  /** Shows a problem. At most three are shown, each once. */
  showProblem(problem: Problem): void {
    const others = this.problems.filter(({ code, text }) => code !== problem.code || text !== problem.text);
    this.problems = [...others.slice(-2), { ...problem, key: ++this.#problemCount }];
  }

  dismissProblem(key: number): void {
    this.problems = this.problems.filter((problem) => problem.key !== key);
  }

  /** Input of the sentences about the match as it is now. */
  get narrator(): Narrator {
    return {
      rules: this.rules,
      names: this.players.map((_, seat) => this.playerAt(seat)?.name ?? ""),
      viewerSeat: this.seat !== null && this.isOwn(this.seat) ? this.seat : null,
    };
  }

  /** The rules and the seats at the time of a piece of news. They change between matches. */
  narratorAt(news: NewsItem): Narrator {
    return this.#narrators.get(news) ?? { rules: this.rules, names: [], viewerSeat: null };
  }

  /** The name of a player, also after they left. */
  playerName(player: number): string | undefined {
    return this.#names[player];
  }

  /** Who accuses a player, null if a line of talk does, or at a table of two people, where it can be nobody else. */
  accuserName({ accuser }: Accusation): string | null {
    const people = this.players.filter(({ bot, gone }) => !bot && !gone);
    return accuser === null || people.length < 3 ? null : (this.playerName(accuser) ?? null);
  }

  /** The player of a seat. The name of a person for whom a bot plays, or played to the end, says so. */
  playerAt(seat: number | null | undefined): Renamed | undefined {
    if (seat === null || seat === undefined) return undefined;
    const player = this.players[seat];
    const playsNow = this.state?.stage === "playing" && player?.stand_in === true;
    return player && (playsNow || this.match?.stand_ins.includes(seat))
      ? { ...player, name: t("word.by_bot", { name: player.name }), ownName: player.name }
      : player;
  }

  /** How a series stands, null at a table without one. At a large table, only who has won a match is named. */
  get series(): string | null {
    const n = this.setting?.config.best_of ?? 1;
    if (n === 1) return null;
    const named = this.players.filter(({ wins, gone }) => (wins ?? 0) > 0 || (this.players.length < 3 && !gone));
    const score = named
      .toSorted((a, b) => (b.wins ?? 0) - (a.wins ?? 0))
      .map(({ id, name, wins }) => `${id === this.own.player ? t("table.you") : name} ${wins ?? 0}`);
    return [t("series.of", { n }), score.join(", ")].filter((text) => text !== "").join(": ");
  }

  /** Who has won the series, null while it goes on. */
  get seriesWinner(): PublicPlayer | null {
    return this.players.find(({ id }) => id === this.state?.series_winner) ?? null;
  }

  /** The seats of a match that is over, the winners first. */
  get seatsByPlace(): number[] {
    const places = this.match?.places ?? [];
    return [...places.keys()].sort((a, b) => (places[a] ?? 0) - (places[b] ?? 0));
  }

  /** Whether a seat of the match is the viewer's own, and no bot played for them to the end. */
  isOwn(seat: number): boolean {
    return seat === this.seat && !this.match?.stand_ins.includes(seat);
  }

  /** Whether a person has a seat but no connection. The viewer is here, and programs connect when they need to. */
  isAway(player: PublicPlayer): boolean {
    if (player.bot || player.program || player.gone || player.id === this.own.player) return false;
    return this.connectedPlayers !== null && !this.connectedPlayers.includes(player.id);
  }

  #updateAwaySince(): void {
    const now = performance.now();
    const away = this.players.filter((player) => this.isAway(player));
    this.awaySince = Object.fromEntries(away.map(({ id }) => [id, this.awaySince[id] ?? now]));
  }

  /** Keeps the promise of the match, which the server publishes when the match begins. */
  #updateCommitments({ stage, match, commitment }: PublicTable): void {
    if (commitment === "" || stage !== "playing" || !match) return;
    const { number } = match;
    keepPromise(this.code, number, commitment);
    const others = this.commitments.filter((known) => known.number !== number);
    this.commitments = [{ number, commitment }, ...others].slice(0, 2);
  }

  #completeRequest(id: string): void {
    this.pendingRequests = this.pendingRequests.filter((pending) => pending !== id);
  }

  #completeCommitment(id: string): void {
    const commitment = this.#sentCommitments[id];
    if (commitment !== undefined) this.commitmentConfirmed(commitment);
  }

  #update(update: Update): void {
    if (update.seq < this.seq) return;
    for (const { id, name } of update.table.players) this.#names[id] = name;
    const latestSeq = this.news.at(-1)?.seq ?? 0;
    const freshNews = update.news.filter((item) => item.seq > latestSeq);
    if (freshNews.length > 0) this.news = [...this.news, ...freshNews].slice(-MAX_NEWS);
    if (!this.state) this.firstSeq = update.seq;
    this.hasHistory = this.state !== null;
    if (update.table.stage === "playing") this.sawMatch = true;
    if (update.table.stage === "gathering") this.sawMatch = false;
    this.seq = update.seq;
    this.state = update.table;
    this.own = update.own;
    for (const item of update.news) this.#narrators.set(item, this.narrator);
    this.#updateAwaySince();
    this.#updateCommitments(update.table);
    const before = this.hasHistory ? this.seedWarning : undefined;
    this.seedWarning = seedWarning(this.code, update.table, update.own.seat, before);
    this.updatedAt = performance.now();
    this.onUpdate();
    const opening = this.#afterDirection;
    if (!opening || this.own.may_set_direction.length > 0) return;
    this.#afterDirection = null;
    if (this.myTurn) this.request(opening);
  }
}

/** The commands by which an opener settles the direction of the round. */
const OPENINGS: ReadonlySet<string> = new Set(["bid", "bid_and_show", "pass"]);

function nextSeatOf(match: PublicMatch | null, direction: Direction): number | null {
  if (match?.phase !== "bidding" || match.turn === null) return null;
  const { dice, turn } = match;
  const after = [...dice.keys()].map((distance) => (turn + distance + 1) % dice.length);
  const inPlay = (direction === "clockwise" ? after : after.slice(0, -1).reverse()).filter(
    (seat) => seat !== turn && (dice[seat] ?? 0) > 0,
  );
  return dice.length > 2 ? (inPlay[0] ?? null) : null;
}

function rulesOf(setting: TableSetup | null, hasMatch: boolean): Ruleset | undefined {
  return (hasMatch ? setting?.match_rules : null) ?? setting?.config.ruleset;
}

const KEY = Symbol("table");

/** Makes the store available to child components. */
export function provideTable(table: TableStore): TableStore {
  return setContext(KEY, table);
}

/** The store that a parent component provided. */
export function useTable(): TableStore {
  return getContext<TableStore>(KEY);
}

/** Everything that the page knows of a table: what the server said last, folded from its messages. */
import { getContext, setContext } from "svelte";
import { Connection, type Frame, type ConnectionStatus, type Command } from "../lib/connection";
import type { MatchSeen, News, Own, PlayerSeen, Problem, Setting, TableSeen, Update } from "../lib/protocol";

const MAX_NEWS = 300;
const NO_SEAT: Own = {
  seat: null,
  player: null,
  hand: [],
  counts: [],
  bids: [],
  unlimited: false,
  odds: [],
  standing_odds: null,
  exact_odds: null,
  challenge: false,
  exact: false,
  directions: [],
};

export class TableStore {
  status = $state<ConnectionStatus>("connecting");
  setting = $state.raw<Setting | null>(null);
  state = $state.raw<TableSeen | null>(null);
  own = $state.raw<Own>(NO_SEAT);
  seq = $state(0);
  news = $state.raw<News[]>([]);
  connectedPlayers = $state.raw<number[] | null>(null);
  spectatorCount = $state(0);
  problems = $state.raw<(Problem & { key: number })[]>([]);
  /** Ids of what was asked and is not answered yet. */
  pendingRequests = $state.raw<string[]>([]);
  /** What this page was promised about the dice of the latest matches, the newest first. */
  commitments = $state.raw<readonly { number: number; commitment: string }[]>([]);
  /** Since when this page has known people to be away, by `performance.now()`. */
  awaySince = $state.raw<Record<number, number>>({});
  /** The latest wish to be host in place of one that is away. */
  hostRequestId: string | null = null;
  /** When the latest update came, by `performance.now()`. */
  updatedAt = $state(0);
  /** The seq of the first look; what was said before it is no news. */
  firstSeq = $state(0);
  /** Whether this is no first look at the table, so that what happens may be played out. */
  hasHistory = $state(false);
  /** Whether the page saw the match before it ended, and so may show how it did. */
  sawMatch = $state(false);

  match: MatchSeen | null = $derived(this.state?.match ?? null);
  players: PlayerSeen[] = $derived(this.state?.players ?? []);
  me: PlayerSeen | null = $derived(this.players.find((one) => one.id === this.own.player) ?? null);
  /** My seat in the match, none for somebody who watches or came later. */
  seat: number | null = $derived(
    this.own.seat !== null && this.match && this.own.seat < this.match.dice.length ? this.own.seat : null,
  );
  myTurn = $derived(this.seat !== null && this.match?.turn === this.seat && this.state?.stage === "playing");
  eliminated = $derived(this.seat !== null && this.match?.dice[this.seat] === 0);
  busy = $derived(this.pendingRequests.length > 0);

  readonly #connection: Connection;
  readonly #seatNames = new WeakMap<News, readonly string[]>();
  readonly #names: Record<number, string> = {};
  #problemCount = 0;

  constructor(readonly code: string) {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    this.#connection = new Connection(`${scheme}://${location.host}/ws/${encodeURIComponent(code)}`, {
      lastSeq: () => this.seq,
      onFrame: (frame) => {
        this.receive(frame);
      },
      onStatus: (status) => {
        this.status = status;
      },
    });
  }

  start(): void {
    this.#connection.start();
  }

  stop(): void {
    this.#connection.stop();
  }

  /** Connect anew, because this browser may hold a seat now. */
  reconnect(): void {
    this.#connection.reconnect();
  }

  /** Ask the table for something; nothing else is asked until it is answered. */
  request(what: Command): void {
    this.pendingRequests = [...this.pendingRequests, this.send(what)];
  }

  /** Ask to be host in place of one that is away. */
  becomeHost(): void {
    if (this.own.player === null) return;
    this.hostRequestId = this.send({ type: "make_host", player: this.own.player });
    this.pendingRequests = [...this.pendingRequests, this.hostRequestId];
  }

  /** Tell the table something that nobody waits for. */
  send(what: Command): string {
    return this.#connection.request(what, this.match?.mark ?? 0);
  }

  receive(frame: Frame): void {
    switch (frame.type) {
      case "setting":
        this.setting = frame;
        break;
      case "update":
        this.#update(frame);
        break;
      case "presence":
        this.connectedPlayers = frame.here;
        this.spectatorCount = frame.watching;
        this.#updateAwaySince();
        break;
      case "done":
        this.#completeRequest(frame.id);
        break;
      case "problem":
        if (frame.id) this.#completeRequest(frame.id);
        // the line says these two by how it closes
        if (frame.code !== "no_such_table" && frame.code !== "no_spectators") this.showProblem(frame);
        break;
    }
  }

  /** Show what went wrong; at most the three latest, each once. */
  showProblem(problem: Problem): void {
    const others = this.problems.filter((one) => one.code !== problem.code || one.text !== problem.text);
    this.problems = [...others.slice(-2), { ...problem, key: ++this.#problemCount }];
  }

  dismissProblem(key: number): void {
    this.problems = this.problems.filter((one) => one.key !== key);
  }

  /** Who sat where when something was told: seats change between matches. */
  seatNamesAt(news: News): readonly string[] {
    return this.#seatNames.get(news) ?? [];
  }

  /** The name of somebody who is or was here. */
  playerName(player: number): string | undefined {
    return this.#names[player];
  }

  /** A player by seat; `undefined` only for seats that there are not. */
  playerAt(seat: number | null | undefined): PlayerSeen | undefined {
    return seat === null || seat === undefined ? undefined : this.players[seat];
  }

  /** Whether somebody who should be here is not. */
  isAway(player: PlayerSeen): boolean {
    return !player.bot && !player.gone && this.connectedPlayers !== null && !this.connectedPlayers.includes(player.id);
  }

  #updateAwaySince(): void {
    const now = performance.now();
    const away = this.players.filter((one) => this.isAway(one));
    this.awaySince = Object.fromEntries(away.map(({ id }) => [id, this.awaySince[id] ?? now]));
  }

  /** Between matches, a table's promise is about the next one. */
  #updateCommitments({ stage, match, commitment }: TableSeen): void {
    if (commitment === "") return;
    const number = stage === "playing" ? (match?.number ?? 1) : (match?.number ?? 0) + 1;
    const others = this.commitments.filter((one) => one.number !== number);
    this.commitments = [{ number, commitment }, ...others].slice(0, 2);
  }

  #completeRequest(id: string): void {
    this.pendingRequests = this.pendingRequests.filter((one) => one !== id);
  }

  #update(update: Update): void {
    if (update.seq < this.seq) return;
    const names = update.table.players.map((one) => one.name);
    for (const one of update.table.players) this.#names[one.id] = one.name;
    for (const one of update.news) this.#seatNames.set(one, names);
    const had = this.news.at(-1)?.seq ?? 0;
    const fresh = update.news.filter((one) => one.seq > had);
    if (fresh.length > 0) this.news = [...this.news, ...fresh].slice(-MAX_NEWS);
    if (!this.state) this.firstSeq = update.seq;
    this.hasHistory = this.state !== null;
    if (update.table.stage === "playing") this.sawMatch = true;
    if (update.table.stage === "gathering") this.sawMatch = false;
    this.seq = update.seq;
    this.state = update.table;
    this.#updateAwaySince();
    this.own = update.own;
    this.#updateCommitments(update.table);
    this.updatedAt = performance.now();
  }
}

const KEY = Symbol("table");

export function provideTable(table: TableStore): TableStore {
  return setContext(KEY, table);
}

export function useTable(): TableStore {
  return getContext<TableStore>(KEY);
}

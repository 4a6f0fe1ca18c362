/** Everything that the page knows of a table: what the server said last, folded from its messages. */
import { getContext, setContext } from "svelte";
import { Connection, type Frame, type Line, type Wish } from "../lib/connection";
import type { MatchSeen, News, Own, PlayerSeen, Problem, Setting, TableSeen, Update } from "../lib/protocol";

const KEPT_NEWS = 300;
const NOBODY: Own = {
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
  line = $state<Line>("connecting");
  setting = $state.raw<Setting | null>(null);
  table = $state.raw<TableSeen | null>(null);
  own = $state.raw<Own>(NOBODY);
  seq = $state(0);
  news = $state.raw<News[]>([]);
  here = $state.raw<number[] | null>(null);
  watching = $state(0);
  problems = $state.raw<(Problem & { key: number })[]>([]);
  /** Ids of what was asked and is not answered yet. */
  asked = $state.raw<string[]>([]);
  /** What this page was promised about the dice of the latest matches, the newest first. */
  promises = $state.raw<readonly { number: number; promise: string }[]>([]);
  /** Since when this page has known people to be away, by `performance.now()`. */
  awaySince = $state.raw<Record<number, number>>({});
  /** The latest wish to be host in place of one that is away. */
  hostWish: string | null = null;
  /** When the latest update came, by `performance.now()`. */
  heardAt = $state(0);
  /** The seq of the first look; what was said before it is no news. */
  firstSeq = $state(0);
  /** Whether this is no first look at the table, so that what happens may be played out. */
  lively = $state(false);
  /** Whether the page saw the match before it ended, and so may show how it did. */
  watched = $state(false);

  match: MatchSeen | null = $derived(this.table?.match ?? null);
  players: PlayerSeen[] = $derived(this.table?.players ?? []);
  me: PlayerSeen | null = $derived(this.players.find((one) => one.id === this.own.player) ?? null);
  /** My seat in the match, none for somebody who watches or came later. */
  seat: number | null = $derived(
    this.own.seat !== null && this.match && this.own.seat < this.match.dice.length ? this.own.seat : null,
  );
  myTurn = $derived(this.seat !== null && this.match?.turn === this.seat && this.table?.stage === "playing");
  out = $derived(this.seat !== null && this.match?.dice[this.seat] === 0);
  busy = $derived(this.asked.length > 0);

  readonly #connection: Connection;
  readonly #seated = new WeakMap<News, readonly string[]>();
  readonly #names: Record<number, string> = {};
  #problemCount = 0;

  constructor(readonly code: string) {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    this.#connection = new Connection(`${scheme}://${location.host}/ws/${encodeURIComponent(code)}`, {
      have: () => this.seq,
      heard: (frame) => {
        this.hear(frame);
      },
      line: (line) => {
        this.line = line;
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
  again(): void {
    this.#connection.again();
  }

  /** Ask the table for something; nothing else is asked until it is answered. */
  ask(what: Wish): void {
    this.asked = [...this.asked, this.tell(what)];
  }

  /** Ask to be host in place of one that is away. */
  takeOver(): void {
    if (this.own.player === null) return;
    this.hostWish = this.tell({ type: "make_host", player: this.own.player });
    this.asked = [...this.asked, this.hostWish];
  }

  /** Tell the table something that nobody waits for. */
  tell(what: Wish): string {
    return this.#connection.ask(what, this.match?.mark ?? 0);
  }

  hear(frame: Frame): void {
    switch (frame.type) {
      case "setting":
        this.setting = frame;
        break;
      case "update":
        this.#update(frame);
        break;
      case "presence":
        this.here = frame.here;
        this.watching = frame.watching;
        this.#noteAway();
        break;
      case "done":
        this.#answered(frame.id);
        break;
      case "problem":
        if (frame.id) this.#answered(frame.id);
        // the line says these two by how it closes
        if (frame.code !== "no_such_table" && frame.code !== "no_spectators") this.complain(frame);
        break;
    }
  }

  /** Show what went wrong; at most the three latest, each once. */
  complain(problem: Problem): void {
    const others = this.problems.filter((one) => one.code !== problem.code || one.text !== problem.text);
    this.problems = [...others.slice(-2), { ...problem, key: ++this.#problemCount }];
  }

  dismiss(key: number): void {
    this.problems = this.problems.filter((one) => one.key !== key);
  }

  /** Who sat where when something was told: seats change between matches. */
  seatedAt(news: News): readonly string[] {
    return this.#seated.get(news) ?? [];
  }

  /** The name of somebody who is or was here. */
  named(player: number): string | undefined {
    return this.#names[player];
  }

  /** A player by seat; `undefined` only for seats that there are not. */
  player(seat: number | null | undefined): PlayerSeen | undefined {
    return seat === null || seat === undefined ? undefined : this.players[seat];
  }

  /** Whether somebody who should be here is not. */
  away(player: PlayerSeen): boolean {
    return !player.bot && !player.gone && this.here !== null && !this.here.includes(player.id);
  }

  #noteAway(): void {
    const now = performance.now();
    const away = this.players.filter((one) => this.away(one));
    this.awaySince = Object.fromEntries(away.map(({ id }) => [id, this.awaySince[id] ?? now]));
  }

  /** Between matches, a table's promise is about the next one. */
  #notePromise({ stage, match, commitment }: TableSeen): void {
    if (commitment === "") return;
    const number = stage === "playing" ? (match?.number ?? 1) : (match?.number ?? 0) + 1;
    const others = this.promises.filter((one) => one.number !== number);
    this.promises = [{ number, promise: commitment }, ...others].slice(0, 2);
  }

  #answered(id: string): void {
    this.asked = this.asked.filter((one) => one !== id);
  }

  #update(update: Update): void {
    if (update.seq < this.seq) return;
    const names = update.table.players.map((one) => one.name);
    for (const one of update.table.players) this.#names[one.id] = one.name;
    for (const one of update.news) this.#seated.set(one, names);
    const had = this.news.at(-1)?.seq ?? 0;
    const fresh = update.news.filter((one) => one.seq > had);
    if (fresh.length > 0) this.news = [...this.news, ...fresh].slice(-KEPT_NEWS);
    if (!this.table) this.firstSeq = update.seq;
    this.lively = this.table !== null;
    if (update.table.stage === "playing") this.watched = true;
    if (update.table.stage === "gathering") this.watched = false;
    this.seq = update.seq;
    this.table = update.table;
    this.#noteAway();
    this.own = update.own;
    this.#notePromise(update.table);
    this.heardAt = performance.now();
  }
}

const KEY = Symbol("table");

export function provideTable(table: TableStore): TableStore {
  return setContext(KEY, table);
}

export function useTable(): TableStore {
  return getContext<TableStore>(KEY);
}

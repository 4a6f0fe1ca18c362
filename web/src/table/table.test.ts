import { expect, test, afterEach, beforeEach, vi, describe } from "vitest";
import { tick } from "svelte";
import { screen } from "@testing-library/svelte";
import { PLAYERS, setting, update, OWN, OWN_IDLE, SCENARIOS, said } from "../testing/tableFrames";
import { TableStore } from "./tableStore.svelte";
import { UiState } from "./uiState.svelte";
import { renderScenario, useTablePage, Socket, receive } from "../testing/tablePage";
import { formatClock } from "./countdown.svelte";
import type { Command, FromTable, PublicMatch } from "../lib/protocol";
import { keepCommitment } from "../lib/seeds";
import { Connection, type ConnectionStatus } from "../lib/connection";

function storeAfter(...frames: Parameters<TableStore["receive"]>[0][]): TableStore {
  const table = new TableStore("FLEA");
  for (const frame of frames) table.receive(frame);
  return table;
}

test("an update replaces the state", () => {
  const table = storeAfter(setting(), update({}));
  expect(table.setting?.config.title).toBe("The Crooked Spoon");
  expect(table.myTurn).toBe(true);
  expect(table.me?.name).toBe("Maren");
  expect(table.playerAt(3)?.name).toBe("Jun");
});

test("the next player is the next one with dice in the direction of the round, also when two are left", () => {
  const next = (match: Partial<PublicMatch>): number | null => storeAfter(update(match)).nextSeat;
  expect(next({ turn: 0, dice: [5, 0, 3, 3, 4, 0] })).toBe(2);
  expect(next({ turn: 0, dice: [5, 0, 3, 3, 4, 0], direction: "anticlockwise" })).toBe(4);
  expect(next({ turn: 0, dice: [5, 0, 0, 3, 0, 0] })).toBe(3);
  expect(next({ turn: 0, dice: [5, 3] })).toBeNull();
  expect(next({ turn: null })).toBeNull();
});

test("a chosen direction can be taken back until the bid, with which it is sent", () => {
  const opening = update({ bids: [] }, { may_set_direction: ["clockwise", "anticlockwise"] });
  const table = storeAfter(setting(), opening);
  const sent: Command[] = [];
  vi.spyOn(Connection.prototype, "request").mockImplementation((command) => String(sent.push(command)));
  table.direction = "anticlockwise";
  expect(table.nextSeat).toBe(5);
  table.receive({ ...opening, seq: opening.seq + 1 }); // somebody says something
  expect(table.direction).toBe("anticlockwise");
  table.direction = "clockwise";
  const bid = { type: "bid", quantity: 1, face: 4 } as const;
  table.request(bid);
  table.direction = "anticlockwise";
  table.request(bid);
  expect(sent).toEqual([bid, { type: "set_direction", direction: "anticlockwise" }]);
  table.receive(update({ bids: [], direction: "anticlockwise", turn_id: 32 }, {}, {}, opening.seq + 2));
  table.receive(update({ bids: [], direction: "anticlockwise", turn_id: 32 }, {}, {}, opening.seq + 3));
  expect(sent.slice(2)).toEqual([bid]);
});

test("an update that is older than what the page has is ignored", () => {
  const table = storeAfter(update({ turn: 1 }, {}, {}, 40), update({ turn: 2 }, {}, {}, 39));
  expect(table.match?.turn).toBe(1);
});

test("news that came before are not added twice", () => {
  const first = update({});
  const second = {
    ...update({}, {}, {}, 41),
    news: [...first.news.slice(-2), said(41, 1, "hm")],
  };
  const table = storeAfter(first, second);
  expect(table.news.map((item) => item.seq)).toEqual([...first.news.map((item) => item.seq), 41]);
});

test("the names of players stay known after they have left", () => {
  const first = update(null, {}, { stage: "gathering" });
  const table = storeAfter(first, update(null, {}, { stage: "gathering", players: PLAYERS.slice(0, 2) }, 41));
  expect(table.playerName(4)).toBe("Jun");
  const [news] = first.news;
  expect(news && table.narratorAt(news).names[3]).toBe("Jun");
});

test("a person without a connection is away, but a bot or a program never is", () => {
  const table = storeAfter(update({}), { type: "presence", connected: [1, 2], watching: 0, bot_ms: null });
  expect(PLAYERS.filter((player) => table.isAway(player)).map((player) => player.name)).toEqual(["Ines", "Jun"]);
  expect(table.isAway({ id: 3, name: "Ines", program: true })).toBe(false);
});

test("a player who joined after the match has no seat in it", () => {
  const table = storeAfter(update({ dice: [2, 0] }, { seat: 2, player: 3 }, { stage: "over" }));
  expect(table.seat).toBeNull();
});

test("a problem is shown once, however often it comes", () => {
  const problem = { type: "problem" as const, code: "illegal" as const, text: "no", id: null };
  const table = storeAfter(problem, problem);
  expect(table.problems).toHaveLength(1);
  table.dismissProblem(table.problems[0]?.key ?? 0);
  expect(table.problems).toHaveLength(0);
});

test("a player who is hidden at a table stays hidden there after a reload, and nowhere else", () => {
  const ui = new UiState("FLEA");
  ui.setHidden(1, true);
  ui.setHidden(3, true);
  ui.setHidden(1, false);
  expect(new UiState("FLEA").hiddenPlayers).toEqual([3]);
  expect(new UiState("WREN").hiddenPlayers).toEqual([]);
  expect(new UiState().hiddenPlayers).toEqual([]);
});

describe("countdown", () => {
  useTablePage();
  beforeEach(() =>
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "performance"] }),
  );

  test("the clock of a turn changes the page once a second, and not between", async () => {
    await renderScenario("wait");
    await vi.advanceTimersByTimeAsync(500);
    const clock = document.querySelector("[role=timer]");
    const seat = document.querySelector<HTMLElement>(".seat.turn .avatar-button");
    expect(clock?.textContent).toBe("0:19");
    const changes: MutationRecord[] = [];
    const observer = new MutationObserver((records) => changes.push(...records));
    observer.observe(document.body, { subtree: true, attributes: true, characterData: true });
    for (const time of ["0:18", "0:17", "0:16"]) {
      await vi.advanceTimersByTimeAsync(1000);
      await tick();
      expect(clock?.textContent).toBe(time);
    }
    observer.disconnect();
    expect(changes.filter(({ target }) => target === seat)).toHaveLength(3);
    expect(vi.getTimerCount()).toBeLessThan(4);
  });

  test("a clock shows minutes and seconds, and hours if there are any", () => {
    expect([24_000, 62_000, 3_723_000].map(formatClock)).toEqual(["0:24", "1:02", "1:02:03"]);
    expect([86_399_000, 86_400_000, 1_138_000_000].map(formatClock)).toEqual([
      "23:59:59",
      "1\u00a0d 0\u00a0h",
      "13\u00a0d 4\u00a0h",
    ]);
  });
});

describe("lazy components", () => {
  useTablePage();

  test("a panel that was shown before is there again at once, without a gap", async () => {
    await renderScenario("turn");
    for (const [frame, words] of [
      [update({ turn: 1, turn_id: 101 }, OWN_IDLE, {}, 101), "'s turn"],
      [update({ turn: 0, turn_id: 102 }, OWN, {}, 102), "Your turn"],
    ] as const) {
      Socket.latest?.onmessage?.({ data: JSON.stringify(frame) });
      await tick();
      expect(screen.getByRole("region", { name: "Your move" }).textContent).toContain(words);
    }
  });
});

describe("seed warning", () => {
  useTablePage();

  const NONE = { commitments: ["", "", "", "", "", ""], revealed: [] };

  test.each([
    ["that the server left a confirmed seed out", true, NONE, /left your seed/],
    ["that the server never asked for a confirmed seed", true, null, /rolled without your seed/],
    ["nothing if the seed came after the match had begun", false, NONE, null],
  ])("the player learns %s", async (name, confirmed, seeds, warning) => {
    await renderScenario("gathering", name); // the browser keeps what it knows of each table
    const { id } = JSON.parse(Socket.latest?.sent.at(-1) ?? "{}") as { id: string };
    if (confirmed) await receive([{ type: "done", id, seq: 41 }]);
    await receive([update({ phase: "deal", seeds }, { seat: 0 }, {}, 50)]);
    if (!confirmed) await receive([{ type: "done", id, seq: 51 }]);
    expect(screen.queryByText(/your seed/)?.textContent ?? "").toMatch(warning ?? /^$/);
    await receive([update({ phase: "deal", seeds: null, turn_id: 2 }, { seat: 0 }, {}, 52)]);
    if (warning) expect(screen.getByText(warning)).toBeTruthy();
  });

  test("a page that was connected after the dice were rolled says so, and accuses nobody", async () => {
    keepCommitment("LATE", 1, "c".repeat(64));
    SCENARIOS.late = [setting(), update({ phase: "bidding", seeds: null }, { seat: 0 })];
    await renderScenario("late", "late");
    const notice = screen.getByText(/before this page was connected/);
    expect(notice.className).not.toContain("bad");
    await receive([update({ phase: "bidding", seeds: null, turn_id: 3 }, { seat: 0 }, {}, 60)]);
    expect(screen.getByText(/before this page was connected/)).toBeTruthy();
  });
});

describe("connection", () => {
  class Socket {
    static readonly OPEN = 1;
    static all: Socket[] = [];
    static latest(): Socket {
      const socket = Socket.all.at(-1);
      if (!socket) throw new Error("no socket was opened");
      return socket;
    }
    readyState = 0;
    sent: string[] = [];
    onopen?: () => void;
    onmessage?: (event: { data: string }) => void;
    onclose?: (event: { code: number }) => void;

    constructor(readonly url: string) {
      Socket.all.push(this);
    }
    send(text: string): void {
      this.sent.push(text);
    }
    close(): void {
      this.readyState = 3;
    }
    open(): void {
      this.readyState = 1;
      this.onopen?.();
    }
    receive(frame: FromTable): void {
      this.onmessage?.({ data: JSON.stringify(frame) });
    }
    drop(code = 1006): void {
      this.readyState = 3;
      this.onclose?.({ code });
    }
    sentMessages(): unknown[] {
      return this.sent.map((text) => JSON.parse(text) as unknown);
    }
  }

  let statuses: ConnectionStatus[];
  let frames: FromTable[];
  let lastSeq: number;
  let connection: Connection;

  beforeEach(() => {
    vi.useFakeTimers();
    vi.stubGlobal("WebSocket", Socket);
    Socket.all = [];
    [statuses, frames, lastSeq] = [[], [], 0];
    connection = new Connection("ws://table/ws/FLEA", {
      lastSeq: () => lastSeq,
      onFrame: (frame) => frames.push(frame),
      onStatus: (status) => statuses.push(status),
    });
    connection.start();
  });

  afterEach(() => {
    connection.stop();
  });

  test("the first message says hello with the last seq", () => {
    lastSeq = 12;
    Socket.latest().open();
    expect(Socket.latest().sentMessages()).toEqual([{ type: "hello", last_seq: 12 }]);
  });

  test("a lost connection is opened again with growing delays, and at once when the network is back", async () => {
    Socket.latest().drop();
    expect(statuses.at(-1)).toBe("lost");
    await vi.advanceTimersByTimeAsync(400);
    expect(Socket.all).toHaveLength(2);
    Socket.latest().drop();
    await vi.advanceTimersByTimeAsync(400);
    expect(Socket.all).toHaveLength(2);
    dispatchEvent(new Event("online"));
    expect(Socket.all).toHaveLength(3);
  });

  test("unanswered commands are sent again under the same id, answered ones are not", async () => {
    Socket.latest().open();
    connection.request({ type: "ready" }, 3, "one");
    connection.request({ type: "challenge" }, 4, "two");
    Socket.latest().receive({ type: "done", id: "one", seq: 5 });
    Socket.latest().drop();
    await vi.advanceTimersByTimeAsync(400);
    Socket.latest().open();
    expect(Socket.latest().sentMessages()).toEqual([
      { type: "hello", last_seq: 0 },
      { type: "do", id: "two", command: { type: "challenge" }, turn_id: 4 },
    ]);
    Socket.latest().receive({ type: "problem", id: "two", code: "stale", text: "too late" });
    Socket.latest().drop();
    await vi.advanceTimersByTimeAsync(1000);
    Socket.latest().open();
    expect(Socket.latest().sentMessages()).toEqual([{ type: "hello", last_seq: 0 }]);
  });

  test("commands sent without a connection are sent when it opens", () => {
    connection.request({ type: "begin" }, 0, "one");
    expect(Socket.latest().sent).toEqual([]);
    Socket.latest().open();
    expect(Socket.latest().sentMessages()).toHaveLength(2);
  });

  test("an unknown table is not connected to again", async () => {
    Socket.latest().drop(4404);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(statuses.at(-1)).toBe("missing");
    expect(Socket.all).toHaveLength(1);
  });

  test("messages of a replaced socket are ignored", () => {
    const old = Socket.latest();
    connection.reconnect();
    old.receive({ type: "presence", connected: [1], watching: 0, bot_ms: null });
    expect(frames).toEqual([]);
  });
});

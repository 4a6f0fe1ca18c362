import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Connection, type Frame, type ConnectionStatus } from "../table/tableStore.svelte";

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
  receive(frame: Frame): void {
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
let frames: Frame[];
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
  vi.unstubAllGlobals();
  vi.useRealTimers();
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
  old.receive({ type: "presence", connected: [1], watching: 0 });
  expect(frames).toEqual([]);
});

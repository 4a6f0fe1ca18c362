import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Connection, type Frame, type ConnectionStatus } from "./connection";

class Socket {
  static readonly OPEN = 1;
  static all: Socket[] = [];
  static latest(): Socket {
    const last = Socket.all.at(-1);
    if (!last) throw new Error("no socket was opened");
    return last;
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
  says(frame: Frame): void {
    this.onmessage?.({ data: JSON.stringify(frame) });
  }
  drops(code = 1006): void {
    this.readyState = 3;
    this.onclose?.({ code });
  }
  heard(): unknown[] {
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

test("a page says hello and what it has", () => {
  lastSeq = 12;
  Socket.latest().open();
  expect(Socket.latest().heard()).toEqual([{ type: "hello", have: 12 }]);
});

test("a lost line comes back, later each time, and at once when the network does", async () => {
  Socket.latest().drops();
  expect(statuses.at(-1)).toBe("lost");
  await vi.advanceTimersByTimeAsync(400);
  expect(Socket.all).toHaveLength(2);
  Socket.latest().drops();
  await vi.advanceTimersByTimeAsync(400);
  expect(Socket.all).toHaveLength(2);
  dispatchEvent(new Event("online"));
  expect(Socket.all).toHaveLength(3);
});

test("what was asked and not answered is asked again under the same id, and what was answered is not", async () => {
  Socket.latest().open();
  connection.request({ type: "ready" }, 3, "one");
  connection.request({ type: "challenge" }, 4, "two");
  Socket.latest().says({ type: "done", id: "one", seq: 5 });
  Socket.latest().drops();
  await vi.advanceTimersByTimeAsync(400);
  Socket.latest().open();
  expect(Socket.latest().heard()).toEqual([
    { type: "hello", have: 0 },
    { type: "do", id: "two", what: { type: "challenge" }, mark: 4 },
  ]);
  Socket.latest().says({ type: "problem", id: "two", code: "stale", text: "too late" });
  Socket.latest().drops();
  await vi.advanceTimersByTimeAsync(1000);
  Socket.latest().open();
  expect(Socket.latest().heard()).toEqual([{ type: "hello", have: 0 }]);
});

test("what is asked while the line is down is said when it is up", () => {
  connection.request({ type: "begin" }, 0, "one");
  expect(Socket.latest().sent).toEqual([]);
  Socket.latest().open();
  expect(Socket.latest().heard()).toHaveLength(2);
});

test("a table that is not there, or may not be watched, is not asked for again", async () => {
  Socket.latest().drops(4404);
  await vi.advanceTimersByTimeAsync(20_000);
  expect(statuses.at(-1)).toBe("missing");
  expect(Socket.all).toHaveLength(1);
});

test("a socket that was given up is not listened to any more", () => {
  const old = Socket.latest();
  connection.reconnect();
  old.says({ type: "presence", here: [1], watching: 0 });
  expect(frames).toEqual([]);
});

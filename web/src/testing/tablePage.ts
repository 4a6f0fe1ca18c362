/** Renders the page of a table with a socket of its own, for tests. */
import { render } from "@testing-library/svelte";
import { tick } from "svelte";
import { afterEach, beforeEach, expect, vi } from "vitest";
import type { FromTable } from "../lib/protocol";
import Table from "../pages/Table.svelte";
import { lazy } from "../table/lazyComponents";
import { SCENARIOS } from "./tableFrames";

/** The socket of the page under test. */
export class Socket {
  static readonly OPEN = 1;
  static latest: Socket | null = null;
  readyState = 1;
  sent: string[] = [];
  onopen?: () => void;
  onmessage?: (event: { data: string }) => void;
  onclose?: (event: { code: number }) => void;

  constructor(readonly url: string) {
    Socket.latest = this;
    queueMicrotask(() => this.onopen?.());
  }
  send(text: string): void {
    this.sent.push(text);
  }
  close(): void {
    this.readyState = 3;
  }
}

const realTimeout = setTimeout; // tests may fake that of the page

/** Lets the page receive messages, and waits until it has rendered them. */
export async function receive(frames: FromTable[]): Promise<void> {
  for (const frame of frames) Socket.latest?.onmessage?.({ data: JSON.stringify(frame) });
  await tick();
  await Promise.all(Object.values(lazy).map(async (load) => load()));
  await new Promise((done) => realTimeout(done)); // lazy components are rendered then
}

/** Renders the table and applies the messages of a scenario. */
export async function renderScenario(scenario: string, code = "flea"): Promise<void> {
  render(Table, { code });
  await vi.waitFor(() => expect(Socket.latest?.sent).toHaveLength(1));
  await receive(SCENARIOS[scenario] ?? []);
}

/** The commands sent to the server, without the commitments that the page sends by itself. */
export function commands(): unknown[] {
  return allCommands().filter(({ type }) => type !== "commit_seed");
}

/** All commands sent to the server. */
export function allCommands(): { type: string }[] {
  const sent = (Socket.latest?.sent ?? []).map(
    (text) => JSON.parse(text) as { type: string; command: { type: string } },
  );
  return sent.filter(({ type }) => type === "do").map(({ command }) => command);
}

/** Prepares every test of a file that renders tables, and forgets the scenarios that the test adds. */
export function useTablePage(): void {
  const known = new Set(Object.keys(SCENARIOS));
  beforeEach(() => {
    Socket.latest = null;
    vi.stubGlobal("WebSocket", Socket);
    vi.stubGlobal("innerWidth", 1280); // wide enough for the chat panel
    vi.stubGlobal("matchMedia", () => ({ matches: true })); // no motion
    HTMLDialogElement.prototype.showModal = function () {
      this.open = true;
    };
  });

  afterEach(() => {
    for (const name of Object.keys(SCENARIOS)) if (!known.has(name)) Reflect.deleteProperty(SCENARIOS, name);
  });
}

import { render, screen, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { tick } from "svelte";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { setLanguage } from "../lib/i18n.svelte";
import type { Frame } from "../lib/connection";
import { setting, update, VERDICT } from "../testing/tableFrames";
import { SCENARIOS } from "../testing/tableScenarios";
import { lazy } from "../table/lazyComponents";
import Table from "./Table.svelte";

class Socket {
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

async function hear(frames: Frame[]): Promise<void> {
  for (const frame of frames) Socket.latest?.onmessage?.({ data: JSON.stringify(frame) });
  await tick();
  await Promise.all(Object.values(lazy).map((part) => part()));
  await new Promise((done) => setTimeout(done)); // parts that come later are here then
}

/** The table as it looks after these frames. */
async function shown(scene: string): Promise<void> {
  render(Table, { code: "flea" });
  await vi.waitFor(() => {
    expect(Socket.latest?.sent).toHaveLength(1);
  });
  await hear(SCENARIOS[scene] ?? []);
}

/** What a page gives unasked between matches: its share in the chance of the next one. */
const SEED_GIVEN = { type: "give_seed", seed: expect.any(String) as string };

function asked(): unknown[] {
  const sent = (Socket.latest?.sent ?? []).map((text) => JSON.parse(text) as { type: string; what: unknown });
  return sent.filter((one) => one.type === "do").map((one) => one.what);
}

beforeEach(() => {
  Socket.latest = null;
  vi.stubGlobal("WebSocket", Socket);
  vi.stubGlobal("innerWidth", 1280); // table talk stands beside the felt
  vi.stubGlobal("matchMedia", () => ({ matches: true })); // no motion
  HTMLDialogElement.prototype.showModal = function () {
    this.open = true;
  };
});

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

test("on one's turn the least raise of the face that stands is offered, and said with one click", async () => {
  await shown("turn");
  expect(Socket.latest?.url).toContain("/ws/FLEA");
  expect(screen.getByRole("heading", { name: "Your turn" })).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "Say seven fours" }));
  expect(asked()).toEqual([{ type: "bid", quantity: 7, face: 4 }]);
});

test("the chart is one stop of the Tab key: arrows choose and Enter says", async () => {
  await shown("turn");
  const chart = screen.getByRole("grid");
  const stops = within(chart)
    .getAllByRole("gridcell")
    .filter((cell) => cell.tabIndex === 0);
  expect(stops.map((cell) => cell.textContent.trim())).toEqual(["7 fours"]);
  stops[0]?.focus();
  await userEvent.keyboard("{ArrowUp}{ArrowRight}{Enter}");
  expect(asked()).toEqual([{ type: "bid", quantity: 8, face: 5 }]);
});

test("a tap on a face picks its least bid", async () => {
  await shown("turn");
  await userEvent.click(screen.getByRole("button", { name: "ones from 4" }));
  expect(screen.getByRole("button", { name: "Say four ones" })).toBeTruthy();
});

test("what was chosen stays chosen while others talk", async () => {
  await shown("turn");
  await userEvent.click(screen.getByRole("button", { name: "ones from 4" }));
  await hear([update({}, {}, {}, 41)]);
  expect(screen.getByRole("button", { name: "Say four ones" })).toBeTruthy();
});

test("L challenges and X calls exactly, but not while one types", async () => {
  await shown("calza");
  await userEvent.type(screen.getByLabelText("Say something"), "lx");
  expect(asked()).toEqual([]);
  (document.activeElement as HTMLElement).blur();
  await userEvent.keyboard("x");
  expect(asked()).toEqual([{ type: "exact" }]);
});

test("a call out of turn says what it costs", async () => {
  await shown("outturn");
  expect(screen.getByText("You may call before Jun speaks.")).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: /Liar!.*stakes doubled/ }));
  expect(asked()).toEqual([{ type: "challenge" }]);
});

test("a verdict is told, and the next round is one click away", async () => {
  await shown("reveal");
  expect(screen.getByRole("heading", { name: "Tobias doubts Ines" })).toBeTruthy();
  expect(screen.getByText(/Nine fours were bid and seven are here, so Ines loses two dice/)).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: /Next round/ }));
  expect(asked()).toEqual([{ type: "ready" }]);
});

test("the match that ends before one's eyes shows its last verdict first", async () => {
  await shown("turn");
  const over = { phase: "over" as const, turn: null, verdict: VERDICT, winners: [1], places: [1, 0], dice: [0, 5] };
  await hear([update(over, {}, { stage: "over" }, 41)]);
  await userEvent.click(screen.getByRole("button", { name: "The final order" }));
  expect(screen.getByText("Tobias wins")).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "Rematch" }));
  expect(asked()).toEqual([SEED_GIVEN, { type: "begin" }]);
});

test("the host settles an accusation either way", async () => {
  await shown("turn");
  await userEvent.click(screen.getByRole("button", { name: "Take the die" }));
  expect(asked()).toEqual([{ type: "answer_penalty", number: 1, take: true }]);
});

test("the accused owns up or denies, and the host is told which", async () => {
  await shown("accused");
  await userEvent.click(screen.getByRole("button", { name: "I did not" }));
  expect(asked()).toEqual([{ type: "answer_penalty", number: 1, take: false }]);
  await hear(SCENARIOS.denied ?? []);
  expect(screen.getByText("Jun says it was not so.")).toBeTruthy();
});

test("the table's menu shows what the server promised about the dice", async () => {
  await shown("turn");
  await userEvent.click(screen.getByRole("button", { name: "Table menu" }));
  const menu = within(await screen.findByRole("dialog"));
  await userEvent.click(menu.getByRole("button", { name: "Promise of the dice" }));
  expect(menu.getByText("5f2c")).toBeTruthy();
  await userEvent.click(menu.getByRole("button", { name: "Copy" }));
  expect(await menu.findByText(/Select the promise and copy it by hand/)).toBeTruthy();
});

test("the host adds bots and starts; a guest waits", async () => {
  await shown("gathering");
  await userEvent.selectOptions(screen.getByLabelText("How the bot plays"), "random");
  await userEvent.click(screen.getByRole("button", { name: "Add bot" }));
  expect(asked()).toEqual([SEED_GIVEN, { type: "add_bot", bot: "random" }]);
});

test("who waits for a host that is away can be the host instead", async () => {
  await shown("guest");
  expect(screen.queryByRole("button", { name: "Be the host instead" })).toBeNull();
  await hear([{ type: "presence", here: [2, 3], watching: 0 }]);
  expect(screen.getByText(/Maren, the host, is away/)).toBeTruthy();
  expect(screen.getByText(/you can be the host instead in a moment/)).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Be the host instead" })).toBeNull();
  const now = performance.now();
  vi.spyOn(performance, "now").mockReturnValue(now + 31_000);
  await userEvent.click(await screen.findByRole("button", { name: "Be the host instead" }));
  expect(asked()).toContainEqual({ type: "make_host", player: 2 });
  const wish = JSON.parse(Socket.latest?.sent.at(-1) ?? "{}") as { id: string };
  await hear([{ type: "problem", code: "forbidden", text: "the host is here", id: wish.id }]);
  expect(screen.getByText("The host is here, or was a moment ago.")).toBeTruthy();
});

test("the host changes how the table is set up, and its rules only when looking at them", async () => {
  await shown("gathering");
  await userEvent.click(screen.getByRole("button", { name: "Change the table" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Change the table" }));
  await userEvent.click(dialog.getByRole("button", { name: "Seats: less" }));
  await userEvent.click(dialog.getByRole("switch", { name: /Show odds/ }));
  await userEvent.click(dialog.getByRole("button", { name: "Change the table so" }));
  const { options } = setting();
  expect(asked()).toEqual([SEED_GIVEN, { type: "change", options: { ...options, seats: 5, hints: false } }]);
});

test("whoever is not seated types a name and sits down", async () => {
  const fetched = vi.fn(() => Promise.resolve(new Response(JSON.stringify({ code: "FLEA", player: 9 }))));
  vi.stubGlobal("fetch", fetched);
  await shown("join");
  const before = Socket.latest;
  await userEvent.type(screen.getByLabelText("Your name"), "Ada{Enter}");
  expect(fetched).toHaveBeenCalledWith("/api/tables/FLEA/seats", expect.objectContaining({ method: "POST" }));
  await vi.waitFor(() => {
    expect(Socket.latest).not.toBe(before);
  });
});

test("a lost line is told, and a refusal in words", async () => {
  await shown("turn");
  await hear([{ type: "problem", code: "stale", text: "x", id: null }]);
  expect(screen.getByText("Something else happened first. Look again.")).toBeTruthy();
  Socket.latest?.onclose?.({ code: 1006 });
  await tick();
  expect(screen.getByText("The connection is lost. Trying again…")).toBeTruthy();
});

test("a table that is not there says what may be wrong", async () => {
  await shown("turn");
  Socket.latest?.onclose?.({ code: 4404 });
  await tick();
  expect(screen.getByRole("heading", { name: "There is no such table" })).toBeTruthy();
});

test.each(Object.keys(SCENARIOS))("%s has words for all that it shows, in Spanish too", async (scene) => {
  await setLanguage("es");
  await shown(scene);
  expect(document.body.textContent).not.toMatch(/\{\w+\}|\b(table|word)\.[a-z_.]+|undefined|\bNaN\b/);
});

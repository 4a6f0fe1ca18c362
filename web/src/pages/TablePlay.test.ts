import { screen } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";
import { heldSeat } from "../lib/heldSeat.svelte";
import type { Frame } from "../table/tableStore.svelte";
import type { RulesForm } from "../lib/protocol";
import { OWN_IDLE, PLAYERS, RULES, VERDICT, setting, update, SCENARIOS } from "../testing/tableFrames";
import { commands, receive, renderScenario, useTablePage } from "../testing/tablePage";

useTablePage();

const OLD = { ...RULES, labels: { ...RULES.labels, game: "Perudo", challenge: "Dudo!" } };
const ASKED = PLAYERS.slice(0, 3).map((player) => ({ ...player, asked_about_rules: player.id === 2 }));

/** The rulebook has a sentence about the word of the challenge. */
function stubRules(): void {
  vi.stubGlobal("fetch", (_: string, init: RequestInit) => {
    const { changes } = JSON.parse(init.body as string) as RulesForm;
    const { challenge } = (changes as unknown as typeof RULES).labels;
    const sentences = ["Five dice each.", `Doubt with “${challenge}”`].map((text) => ({ key: text, text }));
    return Promise.resolve(Response.json({ sections: [{ key: "call", title: "Calls", sentences, chart: null }] }));
  });
}

function changed(player: number): Frame[] {
  const seat = player - 1;
  return [
    { ...setting(), agreed_config: { ...setting().config, ruleset: OLD } },
    update(null, { seat, player, bids: [], hand: [] }, { stage: "gathering", players: ASKED }),
  ];
}

test("a guest reads what has changed in the rules and accepts it", async () => {
  stubRules();
  SCENARIOS.changed = changed(2);
  await renderScenario("changed");
  expect(await screen.findByText("Doubt with “Dudo!”")).toBeTruthy();
  const added = screen.getAllByRole("insertion").map((element) => element.textContent);
  expect(added).toContain("Doubt with “Liar!”");
  expect(screen.queryByText("Five dice each.")).toBeNull();
  await userEvent.click(screen.getByRole("button", { name: "Play by these rules" }));
  expect(commands()).toEqual([{ type: "accept_rules" }]);
});

test("the host sees for whom a match with changed rules waits, and cannot begin before", async () => {
  stubRules();
  SCENARIOS.changed = changed(1);
  await renderScenario("changed");
  expect(await screen.findByText("The match can begin when Tobias has accepted them.")).toBeTruthy();
  expect(screen.getByRole("button", { name: "Start the match" })).toHaveProperty("disabled", true);
});

test("the log of a finished match keeps its words when the table gets other rules", async () => {
  const over = update({ phase: "over", turn: null }, OWN_IDLE, { stage: "over" }, 41);
  const call = { type: "challenged" as const, seat: 1, bidder: 2, bid: VERDICT.reveal.bid, out_of_turn: false };
  const told = { ...over, news: [{ seq: 41, at_ms: 0, content: { type: "happened" as const, event: call } }] };
  const before = { ...setting(), config: { ...setting().config, ruleset: OLD } };
  SCENARIOS.rewritten = [before, told, { ...setting(), match_rules: OLD }, { ...over, seq: 42, news: [] }];
  await renderScenario("rewritten");
  const log = screen.getByRole("list", { name: "What was said and done" });
  expect(log.textContent).toContain("Tobias calls: “Dudo!”");
  await receive([setting(), update({ number: 2, bids: [] }, {}, {}, 43)]); // the next match
  expect(log.textContent).toContain("Tobias calls: “Dudo!”");
});

test("a call against a bid that own dice prove needs a second tap where odds are shown", async () => {
  await renderScenario("turn");
  const proven = update({ bids: [[5, [3, 4]]] }, { counts: [0, 1, 2], standing_odds: 100 }, {}, 41);
  await receive([proven]);
  const liar = screen.getByRole("button", { name: "Liar!" });
  await userEvent.click(liar);
  expect(commands()).toEqual([]);
  expect(screen.getByText(/Your own dice already prove three fours/)).toBeTruthy();
  await userEvent.click(liar);
  expect(commands()).toEqual([{ type: "challenge" }]);
});

test("a call needs a second tap in a first match only, where no odds are shown", async () => {
  const frames = [
    setting(false),
    update({ bids: [[5, [3, 4]]] }, { counts: [0, 1, 2], odds: [], standing_odds: null }),
  ];
  SCENARIOS.proven = frames;
  await renderScenario("proven");
  await userEvent.keyboard("l");
  expect(commands()).toEqual([]);
  await receive([update({ phase: "over", turn: null }, OWN_IDLE, { stage: "over" }, 42)]); // the match is over
  await receive([update({ number: 2, bids: [[5, [3, 4]]] }, { counts: [0, 1, 2], standing_odds: null }, {}, 43)]);
  await userEvent.keyboard("l");
  expect(commands()).toEqual([{ type: "challenge" }]);
});

test("on the own turn arrows and Enter work at once, and at most three Tabs reach each button", async () => {
  await renderScenario("wait");
  await receive([setting(), update({ turn_id: 33 }, { exact: true }, {}, 41)]);
  const focused = (): string | undefined => (document.activeElement as HTMLElement).dataset.bid;
  await vi.waitFor(() => {
    expect(focused()).toBe("7,4");
  });
  for (const name of ["Liar! ", "Calza!", "Say seven fours"]) {
    await userEvent.tab();
    expect(document.activeElement?.textContent.trim()).toContain(name.trim());
  }
  await receive([update({ turn: 1, turn_id: 34 }, OWN_IDLE, {}, 42)]);
  await receive([update({ turn_id: 35 }, {}, {}, 43)]);
  await vi.waitFor(() => {
    expect(focused()).toBe("7,4");
  });
  await userEvent.keyboard("{ArrowUp}{Enter}");
  expect(commands()).toEqual([{ type: "bid", quantity: 8, face: 4 }]);
});

test("a turn takes the focus from nobody who types", async () => {
  await renderScenario("wait");
  await userEvent.type(screen.getByLabelText("Say something"), "hm");
  await receive([update({ turn_id: 33 }, {}, {}, 41)]);
  await userEvent.keyboard("{Enter}");
  expect(commands()).toEqual([{ type: "say", text: "hm" }]);
});

test("who is out while only bots play lets them play faster, skips to the end, or begins a new match", async () => {
  await renderScenario("out");
  expect(screen.queryByRole("button", { name: "Skip to the end" })).toBeNull();
  const rest = { dice: [0, 0, 0, 0, 1, 2], turn: 4, only_bots_left: true };
  await receive([update(rest, { ...OWN_IDLE, hand: [] }, {}, 41)]);
  await userEvent.click(screen.getByRole("button", { name: "Faster" }));
  await userEvent.click(screen.getByRole("button", { name: "New match" }));
  const over = { ...rest, phase: "over" as const, turn: null, speed: "at_once" as const, verdict: VERDICT };
  await receive([update(over, { ...OWN_IDLE, hand: [] }, { stage: "over" }, 42)]);
  expect(screen.getByRole("heading", { name: "Good game" })).toBeTruthy(); // no reveal
  expect(commands()).toEqual([
    { type: "play_out", speed: "fast" },
    { type: "play_out", speed: "at_once" },
    { type: "begin" },
  ]);
});

const LOCKED_FOR_OTHERS = {
  special_round: {
    trigger: "loses_down_to_one" as const,
    repeat: "every_time" as const,
    face_locked: true,
    lock_exempt: "had_special" as const,
    min_players: 3,
  },
};
const SPECIAL = { bids: [], starter: 3, turn: 3, special_seat: 3, face_locked: true, wilds_count: false, turn_id: 40 };

test("a special round is announced until it is closed, and says who may change the face", async () => {
  SCENARIOS.special = [setting(false, LOCKED_FOR_OTHERS), update(SPECIAL, OWN_IDLE)];
  await renderScenario("special");
  const banner = screen.getByRole("region", { name: "Mustache Round!" });
  expect(banner.textContent).toContain("Jun is down to one die.");
  expect(banner.textContent).toContain("Whoever has had such a round before may still change it.");
  await userEvent.click(screen.getByRole("button", { name: "Got it" }));
  expect(screen.queryByRole("region", { name: "Mustache Round!" })).toBeNull();
  await receive([update({ ...SPECIAL, bids: [[3, [1, 5]]], turn: 4 }, OWN_IDLE, {}, 41)]);
  expect(screen.getByText("Face locked, unless you have had such a round")).toBeTruthy();
  expect(screen.queryByText("The face is locked")).toBeNull();
});

beforeEach(() => {
  heldSeat.release("FLEA");
});

test("the page remembers a seat for the others, until it is lost", async () => {
  await renderScenario("turn");
  expect(heldSeat.current).toEqual({ code: "FLEA", title: "The Crooked Spoon" });
  await receive([update({}, { ...OWN_IDLE, seat: null, player: null }, {}, 41)]);
  expect(heldSeat.current).toBeNull();
});

import { render, screen } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { requireWords } from "../lib/i18n.svelte";
import type { ErrorResponse, LabForm, LabProgress, MeasureComparison, RulesResponse } from "../lib/protocol";
import { RULES } from "../testing/tableFrames";
import { RulesDraft } from "./rulesDraft.svelte";
import RulesLab from "./RulesLab.svelte";

let asked: string[] = [];
let simulated: LabForm[] = [];
let lines: unknown[] = [];
let offered = true;
let refusal: ErrorResponse | null = null;
let lives = 0;
let offline: Promise<Response> | null = null;

beforeEach(async () => {
  await requireWords(["common", "setup", "lab"]);
  [asked, simulated, lines, offered, refusal, lives, offline] = [[], [], [], true, null, 0, null];
  vi.stubGlobal("fetch", (address: string, init?: RequestInit) => {
    if (address === "/api/rules") return Promise.resolve(Response.json(response(init)));
    if (init?.method !== "POST") {
      asked.push(address);
      if (offline) return offline;
      const figures = address.includes("seats=4") ? preset() : null;
      return Promise.resolve(Response.json({ offered, figures }));
    }
    simulated.push(JSON.parse(init.body as string) as LabForm);
    if (refusal) return Promise.resolve(Response.json(refusal, { status: 400 }));
    return Promise.resolve(new Response(lines.map((line) => `${JSON.stringify(line)}\n`).join("")));
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
});

function response(init?: RequestInit): RulesResponse {
  const { rules, changes } = JSON.parse(init?.body as string) as LabForm;
  return {
    rules,
    base_title: "Perudo",
    changes: changes ?? {},
    title: "",
    address: "/rules/x",
    seats: [2, 6],
    ruleset: lives > 0 ? { ...RULES, loss: { ...RULES.loss, lives } } : RULES,
    sections: [],
    fields: [],
    problems: [],
    warnings: [],
  };
}

function measures(after: boolean): MeasureComparison[] {
  return [
    {
      measure: "opening",
      old: { value: 0.013, error: 0.025 },
      new: after ? { value: 0.01, error: 0.02 } : null,
      changed: false,
    },
    {
      measure: "rounds",
      old: { value: 14.25, error: 0.1 },
      new: after ? { value: 9, error: 0.1 } : null,
      changed: after,
    },
    {
      measure: "exact_calls",
      old: { value: 0, error: 0 },
      new: after ? { value: 0, error: 0 } : null,
      changed: false,
    },
  ];
}

function preset(): LabProgress["figures"] {
  return { judge: "champion@11", seats: 4, matches: 1000, measures: measures(false) };
}

async function open(seats: number): Promise<RulesDraft> {
  const draft = new RulesDraft("perudo");
  render(RulesLab, { draft, seats });
  await draft.refresh();
  return draft;
}

test("the figures of a preset stand there without a simulation", async () => {
  await open(4);
  expect(
    await screen.findByText(/1,000 matches were played by the network of champion@11 at every seat, 4 players each/),
  ).toBeTruthy();
  expect(screen.getByRole("row", { name: /Opening the match is worth \+1.3 points ±2.5/ })).toBeTruthy();
  expect(screen.getByRole("row", { name: "Rounds in a match 14.3 ±0.1" })).toBeTruthy();
  expect(screen.queryByText("Exact calls in a match")).toBeNull();
  expect(screen.queryByRole("button")).toBeNull();
  expect(asked).toEqual(["/api/rules-lab?rules=perudo&seats=4"]);
});

test("the focus goes from the button to the result when a simulation is finished", async () => {
  const draft = await open(4);
  draft.set("dice.per_player", 3);
  await draft.refresh();
  lines = [{ type: "progress", figures: { ...preset(), measures: measures(true) }, total: 1000 }];
  await userEvent.click(await screen.findByRole("button", { name: /Play 1,000 matches/ }));
  await screen.findByRole("row", { name: /14.3 ±0.1 9.0 ±0.1 less/ });
  expect(screen.queryByRole("button")).toBeNull();
  await vi.waitFor(() => {
    expect(document.activeElement).toBe(screen.getByRole("table"));
  });
});

test("changed rules are simulated beside the preset, and later changes take the result away", async () => {
  const draft = await open(4);
  draft.set("dice.per_player", 3);
  await draft.refresh();
  lines = [500, 1000].map((matches) => ({
    type: "progress",
    figures: { ...preset(), matches, measures: measures(true) },
    total: 1000,
  }));
  await userEvent.click(
    await screen.findByRole("button", { name: "Play 1,000 matches with and without your changes" }),
  );
  expect(await screen.findByRole("row", { name: "Rounds in a match 14.3 ±0.1 9.0 ±0.1 less" })).toBeTruthy();
  expect(screen.getByRole("row", { name: /no clear change/ })).toBeTruthy();
  expect(screen.getByRole("status").textContent).toBe("All matches are played.");
  expect(simulated).toEqual([{ rules: "perudo", changes: { "dice.per_player": 3 }, seats: 4 }]);
  draft.set("dice.per_player", 2);
  await draft.refresh();
  expect(await screen.findByRole("button", { name: /Play 1,000 matches/ })).toBeTruthy();
  expect(screen.queryByText("less")).toBeNull();
  expect(asked).toHaveLength(1);
});

test("a simulation that fails says why, and can be tried again", async () => {
  await open(5);
  lines = [{ type: "failed", code: "try_again", text: "late" }];
  await userEvent.click(await screen.findByRole("button", { name: "Play 1,000 matches" }));
  expect((await screen.findByRole("alert")).textContent).toContain("Try again");
  expect(screen.getByRole<HTMLButtonElement>("button").disabled).toBe(false);
});

test("a server that cannot be reached is told of, although the rules have changed meanwhile", async () => {
  let fail = (): void => undefined;
  offline = new Promise((_, reject) => {
    fail = () => {
      reject(new TypeError("offline"));
    };
  });
  const draft = await open(4);
  expect(await screen.findByText("Fetching the figures…")).toBeTruthy();
  draft.set("dice.per_player", 3);
  await draft.refresh();
  fail();
  expect((await screen.findByRole("alert")).textContent).toContain("No connection");
});

test("rules that cannot be simulated are refused with the reason in every language", async () => {
  await open(5);
  refusal = { code: "malformed", text: "matches with up to 60 dice are simulated here" };
  await userEvent.click(await screen.findByRole("button", { name: "Play 1,000 matches" }));
  expect((await screen.findByRole("alert")).textContent).toMatch(/cannot be simulated.*too many dice/);
});

test("no simulation is offered of matches for lives", async () => {
  const draft = await open(5);
  expect(await screen.findByRole("button", { name: "Play 1,000 matches" })).toBeTruthy();
  lives = 3;
  draft.set("loss.lives", 3);
  await draft.refresh();
  expect(await screen.findByText("Matches by these rules are not simulated.")).toBeTruthy();
  expect(screen.queryByRole("button")).toBeNull();
});

test("a server without simulations says so only of what it does not know", async () => {
  offered = false;
  const draft = await open(4);
  expect(await screen.findByRole("row", { name: /Rounds/ })).toBeTruthy();
  expect(screen.queryByText(/simulates no changes/)).toBeNull();
  draft.set("dice.per_player", 3);
  await draft.refresh();
  expect(await screen.findByText(/simulates no changes/)).toBeTruthy();
  expect(screen.queryByRole("button")).toBeNull();
});

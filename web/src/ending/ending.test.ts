import { screen, within } from "@testing-library/svelte";
import { expect, test, vi } from "vitest";
import type { Award, MatchSummary, PublicMatch } from "../lib/protocol";
import { OVER, OWN_IDLE, PLAYERS, RULES, SCENARIOS, setting, update } from "../testing/tableFrames";
import { renderScenario, useTablePage } from "../testing/tablePage";
import { awardReason, dicePath, outInRound, standalone } from "./story";

useTablePage();

const LIE: Award = {
  kind: "boldest_lie",
  seat: 1,
  round_number: 3,
  count: 4,
  dice: 5,
  bid: { type: "bid", quantity: 7, face: 5 },
  p: 0.042,
};
const ROLL: Award = { ...LIE, kind: "luckiest_roll", seat: 2, count: 5, p: 1 / 243 };
const DICE = [
  [2, 2, 2, 2, 2, 2],
  [1, 2, 2, 0, 2, 2],
  [0, 0, 2, 0, 0, 0],
];

function respondWith(summary: MatchSummary): void {
  vi.stubGlobal("fetch", (url: string) => {
    expect(url).toBe("/api/tables/FLEA/matches/1/summary");
    return Promise.resolve(new Response(JSON.stringify(summary)));
  });
}

/** Renders the end of a match with these changes, and perhaps other names of the players. */
async function renderEnd(match: Partial<PublicMatch>, seat = 0, nameOf = (name: string) => name): Promise<void> {
  const players = PLAYERS.map((player) => ({ ...player, name: nameOf(player.name) }));
  SCENARIOS.changed = [setting(), update({ ...OVER, ...match }, { ...OWN_IDLE, seat }, { stage: "over", players })];
  await renderScenario("changed");
}

test("after a match the panel shows awards, the dice over time and the picture of the result", async () => {
  respondWith({ awards: [LIE], dice: DICE });
  await renderScenario("over");
  expect(await screen.findByText("Boldest lie that stood:")).toBeTruthy();
  expect(screen.getAllByText(/Said seven fives, 4% likely by the own dice/)).toHaveLength(2); // also in the picture
  expect(screen.getByRole("img", { name: "Ines, dice by round: 2, 2, 2" })).toBeTruthy();
  const picture = await screen.findByRole("img", { name: /Ines wins, 17 rounds/ });
  expect(within(picture).getByText("Ines wins")).toBeTruthy();
});

test("a result that a bot played names the bot, and shared places are equal", async () => {
  respondWith({ awards: [{ ...LIE, seat: 2 }], dice: DICE });
  await renderEnd({ stand_ins: [2], places: [5, 2, 1, 2, 4, 5] }, 2);
  expect(await screen.findAllByText("Ines (bot) wins")).not.toHaveLength(0);
  const places = screen.getByRole("list", { name: /final order/i });
  expect([...places.querySelectorAll(".place")].map(({ textContent }) => textContent)).toEqual([
    "1",
    "2",
    "2",
    "4",
    "5",
    "5",
  ]);
  expect(within(places).getByText("Ines (bot)")).toBeTruthy();
});

test("the final order says how many dice the winner has left", async () => {
  respondWith({ awards: [], dice: DICE });
  await renderScenario("over");
  const places = screen.getByRole("list", { name: /final order/i });
  expect(places.querySelector(".won .details")?.textContent).toContain("2 dice");
});

test.each([
  [[5, 2, 1, 2, 4, 5], false],
  [[2, 2, 1, 2, 2, 2], true],
])("only three stand on the podium: with places %j it is hidden: %s", async (places, hidden) => {
  respondWith({ awards: [], dice: DICE });
  await renderEnd({ places });
  expect(document.querySelector<HTMLElement>(".podium")?.hidden).toBe(hidden);
});

test("without motion there is no confetti", async () => {
  respondWith({ awards: [], dice: DICE });
  await renderScenario("over");
  expect(document.querySelector(".confetti")?.children).toHaveLength(0);
});

test("a picture contains the symbols that it refers to", () => {
  document.body.innerHTML =
    '<svg><symbol id="dot"><circle fill="url(#shade)" /></symbol><linearGradient id="shade" /></svg>' +
    '<svg id="picture"><use href="#dot" /></svg>';
  const picture = document.querySelector<SVGSVGElement>("#picture");
  const text = picture ? standalone(picture) : "";
  expect(text).toContain('<symbol id="dot">');
  expect(text).toContain('<linearGradient id="shade"');
  document.body.innerHTML = "";
});

test.each(["url(#1)", "url(#page)", '"><script href="#page">', "#page", "]]>&lt;", "a'b\"c"])(
  "a name such as %s is text in a picture and brings nothing into it",
  (name) => {
    document.body.innerHTML = '<main id="page">secret</main><svg id="picture"><text></text></svg>';
    const picture = document.querySelector<SVGSVGElement>("#picture");
    if (!picture) throw new Error("there is no picture");
    picture.setAttribute("aria-label", `${name} wins`);
    picture.querySelector("text")?.append(name);
    const read = new DOMParser().parseFromString(standalone(picture), "text/html");
    expect(read.querySelector("text")?.textContent).toBe(name);
    expect(read.querySelector("svg")?.getAttribute("aria-label")).toBe(`${name} wins`);
    expect(read.querySelectorAll("main, script")).toHaveLength(0);
    document.body.innerHTML = "";
  },
);

test("the picture cuts a long name between its characters", async () => {
  respondWith({ awards: [], dice: DICE });
  const family = "👨‍👩‍👧‍👦".repeat(9);
  await renderEnd({}, 0, (name) => (name === "Ines" ? name : family));
  const picture = await screen.findByRole("img", { name: /Ines wins, 17 rounds/ });
  expect(within(picture).getAllByText(`${"👨‍👩‍👧‍👦".repeat(7)}…`)).not.toHaveLength(0);
});

test("an award says how unlikely it was", () => {
  expect(awardReason(RULES, LIE)).toBe("Said seven fives, 4% likely by the own dice. It was false, and nobody asked.");
  expect(awardReason(RULES, ROLL)).toBe("5 of 5 dice counted in round 3: one roll in 243.");
});

test("a line of dice ends where its player is out", () => {
  const at = (value: number): number => value * 10;
  expect(dicePath(DICE, 3, 1, at, at)).toBe("M0 20H10V0");
  expect(outInRound(DICE, 3)).toBe(1);
  expect(outInRound(DICE, 2)).toBeNull();
});

import { render, screen, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { setLanguage } from "../lib/i18n.svelte";
import type { Award, MatchSummary, PublicMatch, Scene } from "../lib/protocol";
import { OVER, OWN_IDLE, PLAYERS, RULES, SCENARIOS, setting, update } from "../testing/tableFrames";
import { renderScenario, useTablePage } from "../testing/tablePage";
import { drawFrame, FILM_MS, type Film } from "./film";
import MomentFilm from "./MomentFilm.svelte";
import {
  awardReason,
  dicePath,
  filmName,
  filmOf,
  momentLine,
  momentNote,
  momentsOf,
  outInRound,
  standalone,
} from "./story";

useTablePage();

const LIE: Award = {
  kind: "boldest_lie",
  seat: 1,
  round_number: 3,
  count: 4,
  dice: 5,
  bid: { type: "bid", quantity: 7, face: 5 },
  p: 0.042,
  scene: null,
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

test.each([
  [null, "Ines wins", "Next match"],
  [3, "Ines wins the series", "New series"],
])("a series counts matches won, also after its end: %s", async (winner, title, button) => {
  respondWith({ awards: [], dice: DICE });
  const wins: Record<string, number> = { Ines: winner === null ? 1 : 2, Maren: 1 };
  const players = PLAYERS.map((player) => ({ ...player, wins: wins[player.name] ?? 0 }));
  const series = { ...setting(), config: { ...setting().config, best_of: 3 as const } };
  SCENARIOS.series = [
    series,
    update(OVER, { ...OWN_IDLE, seat: 0 }, { stage: "over", players, series_winner: winner }),
  ];
  await renderScenario("series");
  expect(screen.getAllByText(title)).not.toHaveLength(0);
  const score = winner === null ? "Best of 3: You 1, Ines 1" : "Best of 3: Ines 2, You 1";
  expect(screen.getAllByText(score)).not.toHaveLength(0);
  expect(screen.getByRole("button", { name: button })).toBeTruthy();
  expect(screen.getAllByTitle(winner === null ? "Matches won: 1" : "Matches won: 2")).toBeTruthy();
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
  const text = picture ? standalone(picture, 1200, 630) : "";
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
    const read = new DOMParser().parseFromString(standalone(picture, 1200, 630), "text/html");
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

const NAMES = ["Ann", "Bob", "Cleo", "Dan"];
/** Seven fives of Bob's, who holds none; three are there. */
const STOOD: Scene = {
  bidder: 1,
  caller: null,
  exact: false,
  hands: [
    [5, 2, 6, 5],
    [2, 3, 6, 4, 4],
    [3, 5, 4],
    [6, 4],
  ],
  marked: [[0, 3], [], [1], []],
  counted: [2, 0, 1, 0],
};
const CAUGHT: Scene = { ...STOOD, caller: 2 };
const EXACT: Scene = { ...CAUGHT, exact: true };
const FALSE_LIE: Award = { ...LIE, count: 3, scene: STOOD };
const DOUBT: Award = { ...FALSE_LIE, kind: "best_doubt", seat: 2, scene: CAUGHT };
const TIGHT: Award = { ...DOUBT, kind: "tightest_call", bid: { type: "bid", quantity: 3, face: 5 }, scene: EXACT };
const TRUE_BID: Award = { ...TIGHT, seat: 1, scene: CAUGHT };

function filmFrom(award: Award, named = true, names = NAMES): Film {
  const [moment] = momentsOf([award]);
  if (!moment) throw new Error("the award is no moment");
  return filmOf(RULES, moment, { names, title: "The Crooked Spoon", named });
}

interface Drawn {
  /** Dice by face, in the order in which they are drawn, and how often faces of players and cups are. */
  dice: number[];
  faces: number;
  cups: number;
  texts: string[];
  /** Texts with their ends: left, right and the width of the font. */
  places: { text: string; left: number; right: number; y: number }[];
}

/** What is drawn at a time, and where texts are if each letter is as wide as its font is high. */
function draw(film: Film, ms: number, letterWidth = 0.6): Drawn {
  const drawn: Drawn = { dice: [], faces: 0, cups: 0, texts: [], places: [] };
  const plain = (text: string): string => text.replace(/[\u2068\u2069]/g, "");
  const widthOf = (text: string): number =>
    Array.from(plain(text)).length * letterWidth * Number(/(\d+(\.\d+)?)px/.exec(state.font)?.[1]);
  const state: Record<string, unknown> & { font: string } = { font: "", globalAlpha: 1, textAlign: "center" };
  let x = 0;
  const stack: [number, number, unknown][] = [];
  const known: Record<string, (...args: never[]) => unknown> = {
    save: () => stack.push([Number(state.globalAlpha), x, state.textAlign]),
    restore: () => ([state.globalAlpha, x, state.textAlign] = stack.pop() ?? [1, 0, "center"]),
    translate: (by: number) => (x += by),
    measureText: (text: string) => ({ width: widthOf(text) }),
    createRadialGradient: () => ({ addColorStop: () => undefined }),
    createLinearGradient: () => ({ addColorStop: () => undefined }),
    drawImage: (picture: { name: string }) => {
      if (picture.name === "cup") drawn.cups += 1;
      else if (picture.name === "face") drawn.faces += 1;
      else drawn.dice.push(Number(picture.name));
    },
    fillText: (text: string, at: number, y: number) => {
      const wide = widthOf(text);
      const left = x + at - (state.textAlign === "center" ? wide / 2 : 0);
      drawn.texts.push(plain(text));
      if (plain(text)) drawn.places.push({ text: plain(text), left, right: left + wide, y });
    },
  };
  const context = new Proxy(state, { get: (target, key: string) => known[key] ?? target[key] ?? (() => undefined) });
  const picture = (name: string) => ({ name }) as unknown as CanvasImageSource;
  const dice = Object.fromEntries([1, 2, 3, 4, 5, 6].map((face) => [face, picture(String(face))]));
  drawFrame(
    context as unknown as CanvasRenderingContext2D,
    film,
    {
      faces: film.moment.scene.hands.map(() => picture("face")),
      dice,
      cup: picture("cup"),
      font: "sans",
    },
    ms,
  );
  return drawn;
}

const FIRST_LIFT_MS = 2350;

test.each([FALSE_LIE, DOUBT, TIGHT])("a film of the $kind shows no hand before the first cup lifts", (award) => {
  const film = filmFrom(award);
  for (let ms = 0; ms <= FIRST_LIFT_MS; ms += 50) {
    const { dice, cups } = draw(film, ms);
    expect(dice.filter((die) => die !== 5)).toEqual([]);
    expect(dice.length).toBeLessThanOrEqual(1); // the one of the bid
    expect(cups).toBeGreaterThanOrEqual(3);
  }
});

test("the bidder says the bid, the others are silent, and their cups lift one after another", () => {
  const film = filmFrom(FALSE_LIE);
  expect(draw(film, 1200).texts).toEqual(expect.arrayContaining(["Bob", "says", "seven fives"]));
  const counts = [2300, 3000, 3700, 4400].map((ms) => draw(film, ms));
  expect(counts.map(({ cups }) => cups)).toEqual([4, 3, 1, 0]);
  expect(counts.map(({ texts }) => texts.at(texts.indexOf("there") + 2))).toEqual(["0", "1", "3", "3"]);
});

test.each([
  [FALSE_LIE, "LIE", "Nobody asked.", "3"],
  [DOUBT, "LIAR", "Cleo did not believe it.", "3"],
  [TIGHT, "EXACT", "Cleo knew it exactly.", "3"],
  [TRUE_BID, "TRUE", "Cleo did not believe it, and was wrong.", "3"],
])("the last picture of a film says the outcome: %#", (award, stamp, line, count) => {
  const { texts, dice, cups } = draw(filmFrom(award), FILM_MS);
  expect(texts).toEqual(expect.arrayContaining([stamp, line, count, "Bob"]));
  expect(cups).toBe(0);
  expect(dice).toHaveLength(STOOD.hands.flat().length + 3 + 1); // all hands, the slots, and the bid
});

test("the word of the call crosses the table only if somebody called", () => {
  expect(draw(filmFrom(DOUBT), 1900).texts).toContain("Liar!");
  expect(draw(filmFrom(FALSE_LIE), 1900).texts).not.toContain("Liar!");
});

test("without names a film has faces and dice, and neither names nor the table", () => {
  const film = filmFrom(DOUBT, false);
  for (const ms of [0, 1900, FILM_MS]) {
    const { texts, faces } = draw(film, ms);
    expect(texts.filter((text) => NAMES.includes(text) || /Cleo|Spoon/.test(text))).toEqual([]);
    expect(faces).toBeGreaterThanOrEqual(4);
  }
  expect(filmName(film, "The Crooked Spoon")).toBe("liarsdice-round-3");
  expect(filmName(filmFrom(DOUBT), "The Crooked Spoon!")).toBe("the-crooked-spoon-round-3");
});

test.each([2, 4, 6, 10])(
  "texts of a film of %d players stay in the picture and apart, however long names are",
  async (players) => {
    await setLanguage("es");
    const names = Array.from({ length: players }, (_, seat) => `Wilhelmina-Wolfgang Württemberg-Wimmer ${seat}`);
    const hands = names.map(() => [5, 5, 5, 5, 5]);
    const marked = names.map(() => [0, 1, 2, 3, 4]);
    for (const caller of [null, 1]) {
      const scene = { ...STOOD, bidder: 0, caller, hands, marked, counted: names.map(() => 5) };
      const bid = { type: "bid" as const, quantity: 5 * players, face: 5 };
      const film = filmFrom({ ...DOUBT, kind: caller ? "best_doubt" : "boldest_lie", bid, scene }, true, names);
      for (const ms of [900, 1900, 3000, FILM_MS]) {
        const { places } = draw(film, ms);
        expect(places.filter(({ left, right }) => left < 24 || right > 696)).toEqual([]);
        for (const one of places)
          for (const other of places)
            if (one !== other && one.y === other.y)
              expect(one.right <= other.left || other.right <= one.left, `${one.text} and ${other.text}`).toBe(true);
      }
    }
  },
);

test("films are made of bids and calls, and of each call once", () => {
  expect(momentsOf([FALSE_LIE, DOUBT, ROLL, { ...TIGHT, scene: CAUGHT }]).map(({ kind }) => kind)).toEqual([
    "boldest_lie",
    "best_doubt",
  ]);
  expect(momentsOf([DOUBT, { ...TIGHT, round_number: 4 }]).map(({ kind }) => kind)).toEqual([
    "best_doubt",
    "tightest_call",
  ]);
});

test.each([
  [FALSE_LIE, "Bob’s seven fives, holding none", "Boldest lie that stood. 4% likely."],
  [DOUBT, "Cleo doubts Bob’s seven fives", "Best doubt. The count was three."],
  [TIGHT, "Cleo calls Bob’s three fives exact", "Tightest call. The count was three."],
  [TRUE_BID, "Bob’s three fives, doubted and true", "Tightest call. The count was three."],
])("a moment is told in one line: %#", (award, line, note) => {
  const [moment] = momentsOf([award]);
  expect(moment && momentLine(RULES, moment, NAMES)).toBe(line);
  expect(moment && momentNote(moment)).toBe(note);
});

test("after a match a moment can be chosen, and a browser without films says that there is the still alone", async () => {
  vi.spyOn(HTMLCanvasElement.prototype, "getContext").mockReturnValue(null); // jsdom has none
  const players = NAMES.map((name, seat) => ({ id: seat + 1, name }));
  const close = vi.fn();
  render(MomentFilm, { moments: momentsOf([FALSE_LIE, TIGHT]), players, rules: RULES, title: "Spoon", close });
  expect(screen.getByRole("img", { name: /Bob’s seven fives.*The count was three. Nobody asked/ })).toBeTruthy();
  await userEvent.click(screen.getByRole("radio", { name: /Cleo calls/ }));
  expect(screen.getByRole("img", { name: /Cleo knew it exactly/ })).toBeTruthy();
  expect(screen.getByText("This browser cannot make films, so there is the still alone.")).toBeTruthy();
  expect(screen.getByRole("button", { name: "Save still" })).toBeTruthy();
  expect(screen.queryByRole("button", { name: /film$/ })).toBeNull();
});

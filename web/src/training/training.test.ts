import { fireEvent, screen, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test, vi, describe } from "vitest";
import type { TrainingResponse, MoveWorth } from "../lib/protocol";
import { MATCH, setting, update, SCENARIOS } from "../testing/tableFrames";
import { commands, receive, renderScenario, useTablePage } from "../testing/tablePage";
import { expectedCount, listedMoves, usualChoice } from "./estimates";

const CALL: MoveWorth = {
  move: { type: "challenge" },
  value: 100,
  error: 20,
  rank: 2,
  played: 0,
  right: 20,
  tells: null,
};

describe("training panel", () => {
  useTablePage();

  const ANSWER: TrainingResponse = {
    number: 1,
    turn_id: 31,
    source: "playouts",
    likely: 40,
    likely_by_bids: 58,
    exact_by_bids: 12,
    counts: [{ seat: 1, before: [50, 40, 10], after: [10, 40, 50] }],
    moves: [
      {
        move: { type: "bid", quantity: 8, face: 4 },
        value: 225,
        error: 21,
        rank: 1,
        played: 70,
        right: 44,
        tells: { before: [50, 50, 0], after: [0, 50, 50] },
      },
      { move: { type: "challenge" }, value: 180, error: 24, rank: 2, played: 30, right: 42, tells: null },
    ],
    reason: {
      other: 1,
      tied: false,
      reason: {
        seat: 0,
        bids: [
          {
            role: "best",
            bid: { type: "bid", quantity: 8, face: 4 },
            held: 2,
            p_stands: 0.44,
            p_exact: 0.2,
            reading: null,
            p_challenged: 0.1,
          },
        ],
        challenge: true,
        exact: false,
        less_room: false,
        p_loses: [0.6, 0.3],
        p_gains: null,
        rival: null,
      },
    },
  };

  let asked: string[] = [];
  beforeEach(() => {
    asked = [];
    localStorage.setItem("liarsdice.training", "open");
    vi.stubGlobal("fetch", (url: string) => {
      if (url.includes("/training")) asked.push(url);
      return Promise.resolve(Response.json(ANSWER));
    });
    SCENARIOS.plain = [setting(false), update({})];
    SCENARIOS.training = [{ ...setting(false), config: { ...setting(false).config, training: true } }, update({})];
  });

  test("a table without training asks for nothing", async () => {
    await renderScenario("plain");
    expect(asked).toEqual([]);
    expect(screen.queryByRole("button", { name: "Training" })).toBeNull();
  });

  test("the panel shows the estimates, and what a move would tell before it is made", async () => {
    await renderScenario("training");
    const panel = within(await screen.findByRole("region", { name: "Training" }));
    expect(await panel.findByText("58%")).toBeTruthy();
    expect(asked).toEqual(["/api/tables/FLEA/training?quick=true", "/api/tables/FLEA/training"]);
    expect(panel.getByText("±2.1")).toBeTruthy();
    expect(panel.getByText(/^Why eight fours rather than “?Liar!”?: .*it is doubted 10 times in 100/)).toBeTruthy();
    expect(panel.getByText("By your own dice alone: 40%. Exactly right: 12%.")).toBeTruthy();
    expect(panel.getByRole("img", { name: "Tobias: 0: 10%, 1: 40%, 2: 50%" })).toBeTruthy();
    expect(panel.getByText("the champion’s usual choice")).toBeTruthy();
    expect(
      panel.getByText(/They would think that you hold more fours and ones: about 1.5 instead of 0.5\. /),
    ).toBeTruthy();
    await userEvent.click(panel.getByRole("button", { name: "Eight fours" }));
    expect(commands()).toEqual([{ type: "bid", quantity: 8, face: 4 }]);
  });

  test("a bid that speaks against its face tells fewer dice, and why", async () => {
    const [best] = ANSWER.moves;
    const moves = [{ ...best, tells: { before: [10, 90], after: [50, 50] } }];
    vi.stubGlobal("fetch", () => Promise.resolve(Response.json({ ...ANSWER, moves, reason: null })));
    await renderScenario("training");
    const told = /hold fewer fours and ones, about 0.5 instead of 0.9: who holds more mostly bids something else\./;
    expect(await screen.findByText(told)).toBeTruthy();
  });

  test("a call can be looked at before it is made, and the usual panel is one tap away", async () => {
    await renderScenario("training");
    const panel = within(await screen.findByRole("region", { name: "Training" }));
    await userEvent.click(await panel.findByRole("button", { name: /^2\. Liar!.*18.0%/ }));
    expect(panel.getByText(/You show nothing: the cups lift./)).toBeTruthy();
    expect(commands()).toEqual([]);
    await userEvent.click(screen.getByRole("button", { name: "Your move" }));
    expect(screen.queryByRole("region", { name: "Training" })).toBeNull();
    expect(screen.getByRole("button", { name: "Pick a bid" })).toBeTruthy();
  });

  test.each([
    ["no move is looked at before the better answer, which sorts them", "", ["Liar!", "Eight fours"], "Liar!"],
    ["the move that a player looks at stays, and all stay in place", "click", ["Eight fours", "Liar!"], "Eight fours"],
    ["nothing moves under a finger that scrolls the list", "scroll", ["Eight fours", "Liar!"], "Liar!"],
    ["nothing moves where a finger was", "touch", ["Eight fours", "Liar!"], "Liar!"],
  ])("%s", async (_, use, names, looked) => {
    const later: ((response: Response) => void)[] = [];
    vi.stubGlobal("fetch", (url: string) =>
      url.includes("quick")
        ? Promise.resolve(Response.json(ANSWER))
        : new Promise<Response>((resolve) => later.push(resolve)),
    );
    await renderScenario("training");
    const region = await screen.findByRole("region", { name: "Training" });
    const first = await within(region).findByRole("button", { name: /Eight fours .*%/ });
    expect(first.getAttribute("aria-pressed")).toBe("false");
    expect(within(region).getByRole<HTMLButtonElement>("button", { name: "Weighing the bids…" }).disabled).toBe(true);
    if (use === "click") await userEvent.click(first);
    if (use === "scroll") await fireEvent.scroll(first.closest(".scroll") ?? first);
    if (use === "touch") await fireEvent.pointerDown(first);
    const better = [...ANSWER.moves].reverse().map((move, index) => ({ ...move, rank: index + 1 }));
    later.pop()?.(Response.json({ ...ANSWER, moves: better, reason: null }));
    await vi.waitFor(() => expect(region.getAttribute("aria-busy")).toBe("false"));
    const moves = within(region).getAllByRole("button", { name: /%/ });
    expect(moves.map(({ textContent }) => names.find((name) => textContent.includes(name)))).toEqual(names);
    expect(moves.find((button) => button.ariaPressed === "true")?.textContent).toContain(looked);
    expect(within(region).getByRole("button", { name: looked })).toBeTruthy();
  });

  test("the heading names the bid that the figure is about, until there is an answer about the new bid", async () => {
    await renderScenario("training");
    const panel = within(await screen.findByRole("region", { name: "Training" }));
    const heading = await panel.findByRole("heading", { name: /How likely is/ });
    const before = heading.textContent;
    vi.stubGlobal("fetch", () => new Promise<Response>(() => undefined));
    await receive([update({ turn_id: MATCH.turn_id + 1, bids: [...MATCH.bids, [0, [9, 6]]] }, {}, {}, 41)]);
    expect(screen.getAllByText(/nine sixes/i).length).toBeGreaterThan(0);
    expect(heading.textContent).toBe(before);
    expect(panel.getByText("58%")).toBeTruthy();
  });

  test("the quick answer stays where the better one fails", async () => {
    const failed = { code: "try_again", text: "" };
    vi.stubGlobal("fetch", (url: string) =>
      Promise.resolve(url.includes("quick") ? Response.json(ANSWER) : Response.json(failed, { status: 503 })),
    );
    await renderScenario("training");
    const region = await screen.findByRole("region", { name: "Training" });
    await vi.waitFor(() => expect(region.getAttribute("aria-busy")).toBe("false"));
    expect(within(region).getByText("58%")).toBeTruthy();
    expect(within(region).getByRole("button", { name: "Eight fours" })).toBeTruthy();
  });

  test("a change of direction lifts no cups and names the direction", async () => {
    const move = { type: "set_direction", direction: "anticlockwise" } as const;
    const moves = [{ ...CALL, move, right: null }];
    vi.stubGlobal("fetch", () => Promise.resolve(Response.json({ ...ANSWER, moves, reason: null })));
    await renderScenario("training");
    const panel = within(await screen.findByRole("region", { name: "Training" }));
    expect(await panel.findByRole("button", { name: /^1\. Play to your right/ })).toBeTruthy();
    expect(panel.getByText(/The cups stay down/)).toBeTruthy();
  });

  test.each([
    ["odds", { moves: [], reason: null }, /goes by the odds alone/, null],
    ["solved", { moves: [{ ...CALL, value: 999, error: 0 }], reason: null }, /, solved exactly$/, "before any bid"],
    ["blueprint", {}, /both playing on like the champion$/, "before any bid"],
  ])("where no deals are played on, by %s, the panel asks once and says so", async (source, answer, says, legend) => {
    vi.stubGlobal("fetch", (url: string) => {
      asked.push(url);
      return Promise.resolve(Response.json({ ...ANSWER, source, ...answer }));
    });
    await renderScenario("training");
    const panel = within(await screen.findByRole("region", { name: "Training" }));
    expect(await panel.findByText(says)).toBeTruthy();
    expect(asked.filter((url) => url.includes("/training"))).toEqual(["/api/tables/FLEA/training?quick=true"]);
    expect(panel.queryByText("before any bid")?.textContent ?? null).toBe(legend);
    expect(panel.queryByText(/By your own dice alone/) === null).toBe(legend === null);
    expect(panel.queryAllByText(/±/)).toHaveLength(source === "blueprint" ? 2 : 0);
    expect(panel.queryByText("100.0%")).toBeNull();
  });

  test("answers to a doubled challenge have the names of their buttons", async () => {
    const answers = (["fold", "accept"] as const).map((answer) => ({
      ...CALL,
      move: { type: "answer_double", answer },
    }));
    vi.stubGlobal("fetch", () => Promise.resolve(Response.json({ ...ANSWER, moves: answers, reason: null })));
    await renderScenario("training");
    const panel = within(await screen.findByRole("region", { name: "Training" }));
    expect(await panel.findByRole("button", { name: /^\d\. Fold/ })).toBeTruthy();
    expect(panel.getByRole("button", { name: /^\d\. Accept/ })).toBeTruthy();
  });
});

function bid(quantity: number, played = 0): MoveWorth {
  return {
    move: { type: "bid", quantity, face: 2 },
    value: 500 - quantity,
    error: 20,
    rank: 1,
    played,
    right: 50,
    tells: null,
  };
}

test("the best bids, every call, the champion's usual choice and what was listed before are listed", () => {
  const moves = [...Array.from({ length: 9 }, (_, index) => bid(index + 1)), bid(10, 80), CALL];
  const answer = { moves, reason: null };
  expect(listedMoves(answer).map(({ value }) => value)).toEqual([499, 498, 497, 496, 495, 494, 490, 100]);
  expect(listedMoves(answer, [bid(8)]).map(({ value }) => value)).toContain(492);
  expect(usualChoice(moves)).toBe(moves[9]);
  expect(usualChoice([])).toBeNull();
});

test("moves are listed by place, and places count listed moves alone", () => {
  const ranks = [3, 1, 2, 1, 1, 1, 1, 12, 14];
  const moves = ranks.map((rank, index) => ({ ...bid(index + 1), rank }));
  const listed = listedMoves({ moves: [...moves, { ...CALL, rank: 15 }], reason: null });
  expect(listed.map(({ rank }) => rank)).toEqual([1, 1, 1, 1, 5, 6, 7]);
  expect(listed.map(({ value }) => value)).toEqual([498, 496, 495, 494, 497, 499, 100]);
});

test("the expected count is that of the distribution, whatever its percentages add up to", () => {
  expect(expectedCount([25, 50, 25])).toBe(1);
  expect(expectedCount([0, 0, 99])).toBe(2);
  expect(expectedCount([])).toBe(0);
});

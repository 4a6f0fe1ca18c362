import { screen, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test, vi, describe } from "vitest";
import { tick } from "svelte";
import { heldSeat } from "../lib/browserState.svelte";
import type { GameEvent, RulesForm, PublicMatch } from "../lib/protocol";
import {
  MUSTACHE_ROUND,
  OWN_IDLE,
  PLAYERS,
  RULES,
  VERDICT,
  happened,
  said,
  setting,
  update,
  SCENARIOS,
} from "../testing/tableFrames";
import { commands, receive, renderScenario, useTablePage } from "../testing/tablePage";
import { revealScore } from "../reveal/revealAnimation.svelte";
import { EMOTES } from "../voices/tableTalk.svelte";

describe("table play", () => {
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

  test("a guest reads what has changed in the rules and accepts it", async () => {
    stubRules();
    const own = { seat: 1, player: 2, bids: [], hand: [] };
    SCENARIOS.changed = [
      { ...setting(), agreed_config: { ...setting().config, ruleset: OLD } },
      update(null, own, { stage: "gathering", players: ASKED }),
    ];
    await renderScenario("changed");
    expect(await screen.findByText("Doubt with “Dudo!”")).toBeTruthy();
    const added = screen.getAllByRole("insertion").map((element) => element.textContent);
    expect(added).toContain("Doubt with “Liar!”");
    expect(screen.queryByText("Five dice each.")).toBeNull();
    await userEvent.click(screen.getByRole("button", { name: "Play by these rules" }));
    expect(commands()).toEqual([{ type: "accept_rules" }]);
  });

  test("the log of a finished match keeps its words when the table gets other rules", async () => {
    const over = update({ phase: "over", turn: null }, OWN_IDLE, { stage: "over" }, 41);
    const call = { type: "challenged" as const, seat: 1, bidder: 2, bid: VERDICT.reveal.bid, out_of_turn: false };
    const told = { ...over, news: happened(41, call) };
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
    await receive([setting(), update({ turn_id: 33 }, { may_call_exact: true }, {}, 41)]);
    const focused = (): string | undefined => (document.activeElement as HTMLElement).dataset.bid;
    await vi.waitFor(() => expect(focused()).toBe("6,5"));
    await userEvent.keyboard("{Enter}");
    for (const name of ["Liar! ", "Calza!", "Say six fives"]) {
      await userEvent.tab();
      expect(document.activeElement?.textContent.trim()).toContain(name.trim());
    }
    await receive([update({ turn: 1, turn_id: 34 }, OWN_IDLE, {}, 42)]);
    await receive([update({ turn_id: 35 }, {}, {}, 43)]);
    await vi.waitFor(() => expect(focused()).toBe("6,5"));
    await userEvent.keyboard("{ArrowUp}{Enter}");
    expect(commands()).toEqual([{ type: "bid", quantity: 7, face: 5 }]);
  });

  test("a hand that may be rolled again has a button, and dice that count double say so", async () => {
    await renderScenario("turn");
    const table = setting();
    const config = { ...table.config, ruleset: { ...RULES, dice: { ...RULES.dice, double: 1 } } };
    await receive([
      { ...table, config, match_rules: config.ruleset },
      update({ turn_id: 33 }, { may_reroll: true }, {}, 41),
    ]);
    const dice = [...screen.getByRole("list", { name: "Your dice" }).querySelectorAll(".die")];
    expect(dice.map((die) => die.classList.contains("double"))).toEqual([true, false, false, false, false]);
    expect(dice[0]?.getAttribute("aria-label")).toContain("counts as two");
    await userEvent.click(await screen.findByRole("button", { name: "Roll again" }));
    expect(commands()).toEqual([{ type: "reroll" }]);
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

  const LOCKED_FOR_OTHERS = { special_round: { ...MUSTACHE_ROUND, lock_exempt: "had_special" as const } };
  const SPECIAL = {
    bids: [],
    starter: 3,
    turn: 3,
    special_seat: 3,
    face_locked: true,
    wilds_count: false,
    turn_id: 40,
  };

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

  beforeEach(() => heldSeat.release("FLEA"));

  test("the page remembers a seat for the others, until it is lost", async () => {
    await renderScenario("turn");
    expect(heldSeat.current).toEqual({ code: "FLEA", title: "The Crooked Spoon" });
    await receive([update({}, { ...OWN_IDLE, seat: null, player: null }, {}, 41)]);
    expect(heldSeat.current).toBeNull();
  });
});

describe("table reveal", () => {
  useTablePage();

  /** The update with a call that ends the match: the bidder is out. */
  function lastCall(): ReturnType<typeof update> {
    const BID = { type: "bid" as const, quantity: 9, face: 4 };
    const verdict = {
      ...VERDICT,
      losses: VERDICT.losses.map((loss) => ({ ...loss, left: 0 })),
      out: [2],
      special_seat: 0,
    };
    const events: GameEvent[] = [
      { type: "challenged", seat: 1, bidder: 2, bid: BID, out_of_turn: false },
      VERDICT.reveal,
      { type: "dice_lost", seat: 2, dice: 2, left: 0, cause: "bid_false", to: null },
      { type: "eliminated", seat: 2 },
      { type: "match_ended", winners: [1], reason: "last_player" },
    ];
    const dice = [5, 5, 0, 3, 4, 2];
    const over = { phase: "over" as const, turn: null, verdict, winners: [1], places: [2, 1], dice, special_seat: 0 };
    const frame = update(over, { hand: [], counts: [] }, { stage: "over" }, 41);
    return { ...frame, news: happened(41, ...events) };
  }

  const TELLS_COUNT = /Counted: |Five fours/;
  const TELLS_OUTCOME = /Ines (loses|is out)|was (right|wrong)|\bout\b|wins|4 rounds/;

  test("a round that its opener declared special stays special while the dice are revealed", async () => {
    vi.stubGlobal("matchMedia", () => ({ matches: false }));
    await renderScenario("turn");
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const call = lastCall();
    const start: GameEvent[] = [
      {
        type: "round_started",
        number: 9,
        starter: 3,
        dice: [5, 5, 2, 1, 4, 2],
        direction: "clockwise",
        special_seat: null,
      },
      { type: "special_declared", seat: 3 },
    ];
    await receive([{ ...call, news: [...happened(41, ...start), ...call.news] }]);
    expect(document.querySelectorAll(".mustache").length).toBeGreaterThan(0);
  });

  test("nothing tells the outcome of a call before the reveal has shown it", async () => {
    vi.stubGlobal("matchMedia", () => ({ matches: false }));
    await renderScenario("turn");
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const told: string[] = [];
    const observer = new MutationObserver((changes) => {
      for (const { addedNodes, target } of changes)
        told.push(...[target, ...addedNodes].map((node) => node.textContent ?? ""));
    });
    observer.observe(document.body, { childList: true, characterData: true, subtree: true });
    await receive([lastCall()]);
    expect(told.join("\n")).toContain("Tobias calls: “Liar!”");
    expect(told.join("\n")).not.toMatch(TELLS_COUNT);
    expect(told.join("\n")).not.toMatch(TELLS_OUTCOME);
    expect(document.querySelectorAll(".mustache")).toHaveLength(0);
    expect(screen.getByRole("list", { name: "Your dice" }).children).toHaveLength(5);
    const { lifts, stampMs } = revealScore(6, "normal");
    vi.advanceTimersByTime((lifts.at(-1) ?? 0) + 1);
    await tick();
    expect(told.join("\n")).not.toMatch(TELLS_COUNT);
    vi.advanceTimersByTime(stampMs - (lifts.at(-1) ?? 0));
    await tick();
    expect(screen.getByRole("list", { name: "What was said and done" }).textContent).toMatch(TELLS_COUNT);
    expect(told.join("\n")).not.toMatch(TELLS_OUTCOME);
    vi.useRealTimers();
    await userEvent.click(screen.getByRole("button", { name: "Show everything" }));
    observer.disconnect();
    expect(screen.getByRole("list", { name: "What was said and done" }).textContent).toContain("Ines is out.");
    const announced = document.querySelector("[aria-live=polite].top")?.textContent ?? "";
    expect(announced).toMatch(/Liar.*Counted.*Ines loses.*Ines is out.*Tobias wins/);
  });

  test("the word of the caller crosses the table, the count is stamped, and a tap skips to the end", async () => {
    vi.stubGlobal("matchMedia", () => ({ matches: false }));
    await renderScenario("turn");
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "requestAnimationFrame", "cancelAnimationFrame"] });
    await receive([lastCall()]);
    expect(document.querySelector(".theatre .word"), "it waits until the table is laid out").toBeNull();
    vi.advanceTimersToNextFrame();
    vi.advanceTimersToNextFrame();
    await tick();
    expect(document.querySelector(".theatre .word")?.textContent).toContain("Liar!");
    expect(document.querySelector(".mark")).toBeNull();
    vi.advanceTimersByTime(revealScore(6, "normal").stampMs + 1);
    await tick();
    expect(document.querySelector(".theatre .stamp")?.textContent).toBe("LIAR");
    expect(document.querySelector(".mark")?.textContent).toBe("LIAR");
    expect(document.querySelector(".rows")).toBeNull();
    for (let rows = 1; rows <= 6; rows += 1) {
      vi.advanceTimersToNextFrame();
      if (rows === 1) vi.advanceTimersToNextFrame();
      await tick();
      expect(document.querySelectorAll(".rows:not(.told) li"), "a row in each frame, and none to be seen").toHaveLength(
        rows,
      );
    }
    vi.useRealTimers();
    await userEvent.click(screen.getByRole("region", { name: "The table" }));
    expect(document.querySelectorAll(".rows.told li")).toHaveLength(6);
    expect(document.querySelector(".theatre")).toBeNull();
    expect(screen.getByRole("list", { name: "What was said and done" }).textContent).toContain("Ines is out.");
  });

  test("without motion a reveal is shown at once", async () => {
    await renderScenario("turn");
    await receive([lastCall()]);
    expect(document.querySelector(".theatre")).toBeNull();
    expect(document.querySelector(".mark")?.textContent).toBe("LIAR");
    expect(screen.getByRole("button", { name: "The final order" })).toBeTruthy();
  });

  test("the caller sees the own call and the own loss at the own seat", async () => {
    await renderScenario("turn");
    const verdict = {
      ...VERDICT,
      caller: 0,
      right: false,
      losses: [{ ...VERDICT.losses[0], seat: 0, dice: 2, left: 3 }],
    };
    await receive([update({ verdict, turn: null, phase: "deal" } as Partial<PublicMatch>, {}, {}, 41)]);
    const own = document.querySelector(".own-dice");
    expect(own?.textContent).toContain("Liar!");
    expect(own?.textContent).toContain("−2");
  });

  test("table talk appears in a bubble at the seat of its speaker", async () => {
    await renderScenario("wait");
    const frame = update({ turn: 1 }, {}, {}, 41);
    await receive([{ ...frame, news: [said(41, 2, "Nobody has four threes.")] }]);
    const seat = screen.getByRole("button", { name: "Tobias: more" }).closest("li");
    expect(seat?.textContent).toContain("Nobody has four threes.");
  });
});

/** Voices, rolls and sounds on the page of a table. */
describe("table voices", () => {
  useTablePage();

  test("the key E opens the emotes beside the own dice, and Enter sends one", async () => {
    await renderScenario("turn");
    const dice = screen.getByRole("region", { name: "The table" });
    expect(within(dice).queryByRole("group", { name: "Emotes" })).toBeNull();
    await userEvent.keyboard("e");
    const row = within(dice).getByRole("group", { name: "Emotes" });
    expect(within(row).getAllByRole("button")).toHaveLength(6);
    expect(document.activeElement).toBe(within(row).getByRole("button", { name: "Laugh" }));
    await userEvent.keyboard("{Tab}{Enter}");
    expect(commands()).toEqual([{ type: "say", text: EMOTES.gasp }]);
    expect(within(dice).queryByRole("group", { name: "Emotes" })).toBeNull();
    await userEvent.keyboard("e{Escape}");
    expect(within(dice).queryByRole("group", { name: "Emotes" })).toBeNull();
    expect(document.activeElement).toBe(within(dice).getByRole("button", { name: "Emotes (E)" }));
  });

  test("a long press on the own dice opens the emotes, and a short one does not", async () => {
    await renderScenario("turn");
    const board = screen.getByRole("region", { name: "The table" });
    const tray = board.querySelector(".tray");
    vi.useFakeTimers();
    const press = (type: string) => tray?.dispatchEvent(new MouseEvent(type, { bubbles: true, button: 0 }));
    press("pointerdown");
    vi.advanceTimersByTime(300);
    press("pointerup");
    await vi.advanceTimersByTimeAsync(1000);
    expect(within(board).queryByRole("group", { name: "Emotes" })).toBeNull();
    press("pointerdown");
    await vi.advanceTimersByTimeAsync(500);
    expect(within(board).getByRole("group", { name: "Emotes" })).toBeTruthy();
  });

  test("an emote is a picture at the seat and in the log, where a screen reader reads its name", async () => {
    await renderScenario("wait");
    const frame = update({ turn: 1 }, OWN_IDLE, {}, 41);
    await receive([{ ...frame, news: [...frame.news, said(41, 3, EMOTES.cheers)] }]);
    const seats = screen.getByRole("list", { name: /^The others/ });
    expect(seats.querySelector(".emote svg")).toBeTruthy();
    expect(seats.textContent).not.toContain(EMOTES.cheers);
    const log = screen.getByRole("list", { name: "What was said and done" });
    expect(log.querySelector("li:last-child .emote-face")).toBeTruthy();
    expect(log.textContent).toMatch(/Cheers\s*$/);
  });

  test("a roll without motion leaves the dice where they are, and the cup is no button in a reveal", async () => {
    await renderScenario("turn");
    const cup = screen.getByRole("button", { name: "Shake the cup (R)" });
    await userEvent.click(cup);
    await userEvent.keyboard("r");
    expect(document.querySelector(".throw")).toBeNull();
    expect(within(screen.getByRole("list", { name: "Your dice" })).getAllByRole("img")).toHaveLength(5);
    expect(commands()).toEqual([]); // the server hears nothing of it
    await receive([update({ turn: null, phase: "deal", verdict: VERDICT }, OWN_IDLE, {}, 41)]);
    expect(screen.getByRole("button", { name: "Shake the cup (R)" })).toHaveProperty("disabled", true);
  });

  test("the volume is kept in this browser", async () => {
    await renderScenario("turn");
    await userEvent.click(screen.getByRole("button", { name: "Table menu" }));
    const slider = await screen.findByRole("slider", { name: "Volume" });
    (slider as HTMLInputElement).value = "30";
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    slider.dispatchEvent(new Event("change", { bubbles: true }));
    expect(localStorage.getItem("liarsdice.volume")).toBe("30");
  });
});

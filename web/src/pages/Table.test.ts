import { render, screen, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { tick } from "svelte";
import { expect, test, vi, describe } from "vitest";
import { sha256 } from "../lib/seeds";
import { setLanguage } from "../lib/i18n.svelte";
import { happened, setting, update, VERDICT, SCENARIOS, OWN_IDLE, PLAYERS, RULES } from "../testing/tableFrames";
import { Socket, allCommands, commands, receive, renderScenario, useTablePage } from "../testing/tablePage";
import type { NewsItem, PublicMatch } from "../lib/protocol";
import Tv from "./Tv.svelte";
import { NO_SEAT } from "../table/tableStore.svelte";
import { keepSeen } from "../reveal/missedCalls";

describe("table", () => {
  useTablePage();

  test("no move is chosen before the player chooses one, and Enter chooses a bid before it makes it", async () => {
    await renderScenario("turn");
    expect(Socket.latest?.url).toContain("/ws/FLEA");
    expect(screen.getByRole("heading", { name: "Your turn" })).toBeTruthy();
    expect(screen.getByRole<HTMLButtonElement>("button", { name: "Pick a bid" }).disabled).toBe(true);
    await vi.waitFor(() => expect((document.activeElement as HTMLElement).dataset.bid).toBe("6,5"));
    await userEvent.keyboard("{Enter}");
    expect(commands()).toEqual([]);
    expect(screen.getByRole("button", { name: "Say six fives" })).toBeTruthy();
    await userEvent.keyboard("{Enter}");
    expect(commands()).toEqual([{ type: "bid", quantity: 6, face: 5 }]);
  });

  test.each([true, false])("only whoever opened a locked table may sit down at it: %s", async (opener) => {
    vi.stubGlobal("fetch", () => Promise.resolve(Response.json({ opener })));
    await renderScenario("join");
    await receive([{ ...setting(), locked: true }]);
    expect(screen.queryByLabelText("Your name") !== null).toBe(opener);
    expect(screen.queryByText(/locked this table/) !== null).toBe(!opener);
  });

  test("the chart is one tab stop: arrow keys choose a bid and Enter makes it", async () => {
    await renderScenario("turn");
    const chart = await screen.findByRole("grid");
    await vi.waitFor(() => expect(chart.querySelector("[data-bid='8,5']")).not.toBeNull());
    const stops = within(chart)
      .getAllByRole("gridcell")
      .filter((cell) => cell.tabIndex === 0);
    expect(stops.map((cell) => cell.textContent.trim())).toEqual(["6 fives"]);
    stops[0]?.focus();
    await userEvent.keyboard("{ArrowUp}{ArrowRight}{Enter}");
    expect(commands()).toEqual([{ type: "bid", quantity: 7, face: 6 }]);
  });

  test("a tap on a face chooses its lowest bid, which stays chosen when a chat message arrives", async () => {
    await renderScenario("turn");
    await userEvent.click(await screen.findByRole("button", { name: "ones from 4" }));
    await receive([update({}, {}, {}, 41)]);
    expect(screen.getByRole("button", { name: "Say four ones" })).toBeTruthy();
  });

  test("L challenges and X calls exact, but not while typing", async () => {
    await renderScenario("calza");
    await userEvent.type(screen.getByLabelText("Say something"), "lx");
    expect(commands()).toEqual([]);
    (document.activeElement as HTMLElement).blur();
    await userEvent.keyboard("x");
    expect(commands()).toEqual([{ type: "exact" }]);
  });

  test("a reveal shows the result and a button for the next round", async () => {
    await renderScenario("reveal");
    expect(screen.getByRole("heading", { name: "Tobias doubts Ines" })).toBeTruthy();
    expect(screen.getByText(/Ines bid nine fours, but there were only seven, so Ines loses two dice/)).toBeTruthy();
    await userEvent.click(screen.getByRole("button", { name: /Next round/ }));
    expect(commands()).toEqual([{ type: "ready" }]);
  });

  test("a match that ends while the page is open shows its last reveal first", async () => {
    await renderScenario("turn");
    const over = { phase: "over" as const, turn: null, verdict: VERDICT, winners: [1], places: [2, 1], dice: [0, 5] };
    await receive([update(over, {}, { stage: "over" }, 41)]);
    await userEvent.click(screen.getByRole("button", { name: "The final order" }));
    expect(screen.getByText("Tobias wins")).toBeTruthy();
    await userEvent.click(screen.getByRole("button", { name: "Rematch" }));
    expect(commands()).toEqual([{ type: "begin" }]);
  });

  test("who looks at the result sees who wants a rematch, and is not taken away when it begins", async () => {
    const over = {
      phase: "over" as const,
      turn: null,
      winners: [1],
      places: [2, 1, 3, 4, 5, 6],
      dice: [0, 5, 0, 0, 0, 0],
    };
    SCENARIOS.podium = [setting(), update(over, OWN_IDLE, { stage: "over", rematch: [2, 3], begins_ms: 9_900 }, 41)];
    await renderScenario("podium");
    expect(screen.getByText("2 of 4 want a rematch")).toBeTruthy();
    expect(screen.getByText("They wait for you, 0:10 at most")).toBeTruthy();
    await receive([update(over, OWN_IDLE, { stage: "over", rematch: [2, 3, 1], begins_ms: 5_000 }, 42)]);
    await userEvent.click(screen.getByRole("button", { name: "Not yet" }));
    expect(commands()).toEqual([{ type: "not_yet" }]);
    const others = [...PLAYERS.slice(1), ...PLAYERS.slice(0, 1)];
    const watching = { ...NO_SEAT, player: 1 };
    await receive([setting(), update({ number: 2 }, watching, { players: others }, 43)]);
    expect(screen.getByRole("heading", { name: "Good game" })).toBeTruthy();
    await receive([update({ number: 2, turn: 1 }, watching, { players: others }, 44)]);
    await userEvent.click(screen.getByRole("button", { name: "Watch it" }));
    await tick();
    expect(screen.queryByRole("heading", { name: "Good game" })).toBeNull();
    expect(screen.getByRole("heading", { name: "Ines's turn" })).toBeTruthy();
    expect(screen.queryByText(/You can sit down/)).toBeNull();
  });

  test("who stayed with the result while others played a rematch can want the next one when it is over", async () => {
    const over = { phase: "over" as const, turn: null, winners: [1], places: [2, 1, 3, 4, 5, 6] };
    SCENARIOS.podium = [setting(), update(over, OWN_IDLE, { stage: "over" }, 41)];
    await renderScenario("podium");
    const others = [...PLAYERS.slice(1), ...PLAYERS.slice(0, 1)];
    const watching = { ...NO_SEAT, player: 1 };
    await receive([setting(), update({ number: 2 }, watching, { players: others }, 42)]);
    expect(screen.getByRole("button", { name: "Watch it" })).toBeTruthy();
    const next = { stage: "over" as const, players: others, rematch: [2, 3] };
    await receive([update({ ...over, number: 2, verdict: VERDICT }, watching, next, 43)]);
    expect(screen.getByRole("heading", { name: "Good game" })).toBeTruthy();
    expect(screen.getByText("2 of 4 want a rematch")).toBeTruthy();
    await userEvent.click(screen.getByRole("button", { name: "Rematch" }));
    expect(commands()).toEqual([{ type: "begin" }]);
    await receive([update({ number: 3 }, watching, { players: others }, 44)]);
    expect(screen.getByRole("button", { name: "Watch it" })).toBeTruthy();
  });

  test("the page commits to a seed, reveals it once the match has begun, and commits to the next one", async () => {
    await renderScenario("gathering");
    expect(allCommands()).toHaveLength(1);
    const { commitment } = allCommands()[0] as unknown as { commitment: string };
    const commitments = ["", "", "", "", "", ""].map((_, seat) => (seat === 0 ? commitment : ""));
    const begun = { phase: "deal" as const, turn: null, bids: [], seeds: { commitments, revealed: [] } };
    await receive([update(begun, { seat: 0 }, {}, 50)]);
    const [, ...later] = allCommands() as unknown as { type: string; seed: string }[];
    const seed = later.find(({ type }) => type === "reveal_seed")?.seed ?? "";
    expect(sha256(seed)).toBe(commitment);
    expect(later.map(({ type }) => type).sort()).toEqual(["commit_seed", "reveal_seed"]);
    await receive([update({ ...begun, seeds: { commitments, revealed: [0] } }, { seat: 0 }, {}, 51)]);
    expect(allCommands()).toHaveLength(3);
  });

  test("the player does not learn that a seed came too late", async () => {
    await renderScenario("gathering");
    const { id } = JSON.parse(Socket.latest?.sent.at(-1) ?? "{}") as { id: string };
    await receive([{ type: "problem", code: "stale", text: "x", id }]);
    expect(screen.queryByText("Something else happened first. Look again.")).toBeNull();
  });

  test("the accused admits or denies, and the host sees which, who accuses, and the votes", async () => {
    await renderScenario("accused");
    await userEvent.click(screen.getByRole("button", { name: "I did not" }));
    expect(commands()).toEqual([{ type: "answer_penalty", number: 1, take: false }]);
    await receive(SCENARIOS.denied ?? []);
    expect(screen.getByText("Jun says that it is not true. Votes: 0 for, 1 against.")).toBeTruthy();
    expect(screen.getByText("Accused by Ines.")).toBeTruthy();
    await userEvent.click(screen.getByRole("button", { name: "Let it pass" }));
    expect(commands().at(-1)).toEqual({ type: "answer_penalty", number: 1, take: false });
  });

  test("the table menu shows the commitment of the server to the dice", async () => {
    await renderScenario("turn");
    await userEvent.click(screen.getByRole("button", { name: "Table menu" }));
    const menu = within(await screen.findByRole("dialog"));
    await userEvent.click(menu.getByRole("button", { name: "Dice commitment" }));
    expect(menu.getByText("5f2c")).toBeTruthy();
    await userEvent.click(menu.getByRole("button", { name: "Copy" }));
    expect(await menu.findByText(/Select the commitment and copy it by hand/)).toBeTruthy();
  });

  test("the host adds bots and starts; a guest waits", async () => {
    await renderScenario("gathering");
    await userEvent.selectOptions(screen.getByLabelText("How the bot plays"), "random");
    await userEvent.click(screen.getByRole("button", { name: "Add bot" }));
    expect(commands()).toEqual([{ type: "add_bot", bot: "random" }]);
    await receive([
      { type: "done", id: (JSON.parse(Socket.latest?.sent.at(-1) ?? "{}") as { id: string }).id, seq: 41 },
    ]);
    await userEvent.click(screen.getByRole("button", { name: "Ines: one seat further up" }));
    expect(commands().at(-1)).toEqual({ type: "arrange", players: [1, 3, 2, 4] });
    await receive([setting(true, { first_starter: { ...RULES.first_starter, method: "seated_by_roll" } })]);
    expect(screen.queryByRole("button", { name: "Ines: one seat further up" })).toBeNull();
    expect(screen.queryByRole("button", { name: "Shuffle the seats" })).toBeNull();
  });

  test("the match waits for a player who is away: everybody sees for how long, and the host need not wait", async () => {
    await renderScenario("wait");
    await receive([{ type: "presence", connected: [1, 3, 4], watching: 0, bot_ms: 39_900 }]);
    expect(screen.getByText("Tobias is away")).toBeTruthy();
    expect(screen.getAllByText("A bot plays in 0:40")).toHaveLength(2);
    await userEvent.click(screen.getByRole("button", { name: "Let a bot play now" }));
    expect(commands()).toEqual([{ type: "stand_in", player: 2, bot: true }]);
    await receive([{ type: "presence", connected: [1, 3, 4], watching: 0, bot_ms: null }]);
    expect(screen.getByText("The table waits.")).toBeTruthy();
    const players = PLAYERS.map((player) => (player.id === 2 ? { ...player, stand_in: true } : player));
    await receive([update({ turn: 1 }, OWN_IDLE, { players }, 41)]);
    expect(screen.getByText("A bot plays for Tobias")).toBeTruthy();
    expect(screen.queryByText("Tobias is away")).toBeNull();
    expect(within(screen.getByRole("region", { name: "The table" })).getByText("Tobias (bot)")).toBeTruthy();
    await receive([
      { type: "presence", connected: [1, 2, 3, 4], watching: 0, bot_ms: null },
      update({ turn: 1 }, OWN_IDLE, {}, 42),
    ]);
    expect(screen.queryByText("A bot plays for Tobias")).toBeNull();
  });

  test("a hidden page says that nobody looks at it, and keeps the screen on while it is shown", async () => {
    const hidden = vi.spyOn(document, "hidden", "get");
    const request = vi.fn(() => Promise.resolve({ release: () => Promise.resolve() }));
    vi.stubGlobal("navigator", Object.assign(Object.create(navigator) as object, { wakeLock: { request } }));
    await renderScenario("turn");
    expect(request).toHaveBeenCalledWith("screen");
    for (const isHidden of [true, false]) {
      hidden.mockReturnValue(isHidden);
      document.dispatchEvent(new Event("visibilitychange"));
      expect(JSON.parse(Socket.latest?.sent.at(-1) ?? "")).toEqual({ type: "look", looking: !isHidden });
    }
    hidden.mockReturnValue(true);
    Socket.latest?.onclose?.({ code: 1006 });
    await vi.waitFor(() => expect(Socket.latest?.sent[0]).toContain('"looking":false'));
  });

  test("a player can replace a host who is away", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    await renderScenario("guest");
    expect(screen.queryByRole("button", { name: "Be the host instead" })).toBeNull();
    await receive([{ type: "presence", connected: [2, 3], watching: 0, bot_ms: null }]);
    expect(screen.getByText(/Maren, the host, is away/)).toBeTruthy();
    expect(screen.getByText(/you can soon be the host instead/)).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Be the host instead" })).toBeNull();
    await vi.advanceTimersByTimeAsync(31_000);
    vi.useRealTimers();
    await userEvent.click(await screen.findByRole("button", { name: "Be the host instead" }));
    expect(commands()).toContainEqual({ type: "make_host", player: 2 });
    const request = JSON.parse(Socket.latest?.sent.at(-1) ?? "{}") as { id: string };
    await receive([{ type: "problem", code: "forbidden", text: "the host is here", id: request.id }]);
    expect(screen.getByText("The host is here, or was a moment ago.")).toBeTruthy();
  });

  test("the host changes the options of the table, and its rules only after opening them", async () => {
    await renderScenario("gathering");
    await userEvent.click(screen.getByRole("button", { name: "Change the table" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Change the table" }));
    await userEvent.click(dialog.getByRole("button", { name: "Seats: less" }));
    await userEvent.click(dialog.getByRole("switch", { name: /Show odds/ }));
    await userEvent.click(dialog.getByRole("button", { name: "Save changes" }));
    const { config } = setting();
    expect(commands()).toEqual([{ type: "change", config: { ...config, seats: 5, hints: false } }]);
  });

  test("a lost connection and a refused command are shown", async () => {
    await renderScenario("turn");
    await receive([{ type: "problem", code: "stale", text: "x", id: null }]);
    expect(screen.getByText("Something else happened first. Look again.")).toBeTruthy();
    Socket.latest?.onclose?.({ code: 1006 });
    await tick();
    expect(screen.getByText("The connection is lost. Trying again…")).toBeTruthy();
  });

  test("a shared screen tells of a pause and of a lost connection, and of no turn then", async () => {
    render(Tv, { code: "flea" });
    await vi.waitFor(() => expect(Socket.latest?.sent).toHaveLength(1));
    await receive(SCENARIOS.paused ?? []);
    expect(screen.getByText("The match is paused.")).toBeTruthy();
    Socket.latest?.onclose?.({ code: 1006 });
    await tick();
    expect(screen.getByText("The connection is lost. Trying again…")).toBeTruthy();
    expect(screen.queryByText(/’s turn|'s turn/)).toBeNull();
  });

  test.each(Object.keys(SCENARIOS))("%s has texts for everything that it shows, in Spanish too", async (scenario) => {
    await setLanguage("es");
    await renderScenario(scenario);
    expect(document.body.textContent).not.toMatch(/\{\w+\}|\b(table|word)\.[a-z_.]+|undefined|\bNaN\b/);
  });
});

describe("table lives", () => {
  const LIVES = { loss: { ...RULES.loss, lives: 3 } };
  const LOSS = { ...VERDICT, losses: [{ seat: 2, dice: 1, left: 2, cause: "bid_false" as const, to: 1 }] };
  const AFTER_LOSS: Partial<PublicMatch> = { verdict: LOSS, turn: null, phase: "deal", lives: [3, 4, 2, 3, 3, 3] };

  /** Opens a table at which everybody has three lives. */
  async function openTable(match: Partial<PublicMatch> = {}): Promise<void> {
    SCENARIOS.lives = [setting(true, LIVES), update({ lives: [3, 3, 3, 3, 3, 3], ...match }, OWN_IDLE)];
    await renderScenario("lives");
  }

  function seatOf(name: string): string {
    return screen.getByRole("button", { name: `${name}: more` }).closest("li")?.textContent ?? "";
  }

  useTablePage();

  test("the panel after a call tells the lives of who lost some", async () => {
    await openTable();
    await receive([update(AFTER_LOSS, {}, {}, 41)]);
    expect(document.querySelector(".rows .loser")?.textContent).toContain("3 → 2 lives");
  });

  test("a missed call shows the lives that its players had then", async () => {
    keepSeen("FLEA", 40);
    const lost = (seq: number, left: number): NewsItem[] =>
      happened(
        seq,
        { type: "challenged", seat: 1, bidder: 2, bid: VERDICT.reveal.bid, out_of_turn: false },
        VERDICT.reveal,
        { type: "lives_lost", seat: 2, lives: 1, left, cause: "bid_false", to: null },
      );
    const now = { lives: [3, 3, 1, 3, 3, 3] };
    SCENARIOS.lives = [
      setting(true, LIVES),
      { ...update(now, OWN_IDLE, {}, 60), news: [...lost(45, 2), ...lost(52, 1)] },
    ];
    await renderScenario("lives");
    const name = PLAYERS[2]?.name ?? "";
    expect(seatOf(name)).toContain("one life");
    await userEvent.click(await screen.findByRole("button", { name: "See what happened" }));
    await screen.findByRole("button", { name: "The next call" });
    expect(seatOf(name)).toContain("two lives");
  });

  test("who won a life back is shown as the winner", async () => {
    await openTable({ lives: [2, 3, 3, 3, 3, 3] });
    const gains = [{ seat: 0, dice: 1, left: 3, cause: "exact_right" as const, to: null }];
    const verdict = { ...VERDICT, exact: true, caller: 0, losses: [], gains };
    await receive([update({ ...AFTER_LOSS, verdict, lives: [3, 3, 3, 3, 3, 3] }, {}, {}, 41)]);
    expect(document.querySelector(".rows .winner")?.textContent).toContain("2 → 3 lives");
    expect(document.querySelector(".rows .loser")).toBeNull();
  });

  test("the lives that a call gives to another player are told once the reveal has shown it", async () => {
    vi.stubGlobal("matchMedia", () => ({ matches: false }));
    await openTable();
    await receive([update(AFTER_LOSS, {}, {}, 41)]);
    expect(seatOf("Tobias")).toContain("three lives");
    await userEvent.click(screen.getByRole("region", { name: "The table" }));
    expect(seatOf("Tobias")).toContain("four lives");
  });

  test("penalties are owed in lives, and a player with one life left has a special round", async () => {
    await openTable({ pending: [1, 0, 2, 0, 0, 0] });
    expect(screen.getByText("You owe one life at the end of the round")).toBeTruthy();
    expect(seatOf("Ines")).toContain("owes two lives at the end of the round");
    await receive([update({ bids: [], special_seat: 3, starter: 3, turn: 3, turn_id: 46 }, OWN_IDLE, {}, 41)]);
    expect(screen.getByRole("region", { name: "Mustache Round!" }).textContent).toContain("Jun is down to one life.");
  });

  test("drinks are counted up at the seats, in the panel after a call and in what is owed", async () => {
    const drinks = { ...RULES.loss, lives: "unlimited" as const };
    const labels = { ...RULES.labels, lives: "drinks" };
    const left = 1e12;
    SCENARIOS.lives = [
      setting(true, { loss: drinks, labels }),
      update({ lives: [left, left - 2, left - 1, left, left, left], pending: [0, 0, 2, 0, 0, 0] }, OWN_IDLE),
    ];
    await renderScenario("lives");
    expect(seatOf("Tobias")).toContain("two drinks");
    expect(seatOf("Ines")).toContain("+2");
    const losses = [{ seat: 2, dice: 1, left: left - 2, cause: "bid_false" as const, to: null }];
    const lives = [left, left - 2, left - 2, left, left, left];
    await receive([update({ ...AFTER_LOSS, verdict: { ...VERDICT, losses }, lives }, {}, {}, 41)]);
    expect(document.querySelector(".rows .loser")?.textContent).toContain("1 → 2 drinks");
  });

  test("the antes of a round are in the pot on the felt until its winner takes them", async () => {
    const chips = { loss: { ...LIVES.loss, ante: 1 }, labels: { ...RULES.labels, lives: "chips" } };
    SCENARIOS.lives = [setting(true, chips), update({ lives: [3, 3, 3, 3, 3, 3] }, OWN_IDLE)];
    await renderScenario("lives");
    expect(screen.getByText("Pot: six chips")).toBeTruthy();
    expect(seatOf("Tobias")).toContain("two chips");
    const antes = [0, 2, 3, 4, 5].map((seat) => ({ seat, dice: 1, left: 2, cause: "ante" as const, to: 1 }));
    const verdict = {
      ...VERDICT,
      losses: [...antes, { seat: 2, dice: 1, left: 1, cause: "bid_false" as const, to: null }],
    };
    const after = update({ ...AFTER_LOSS, verdict, lives: [2, 8, 1, 2, 2, 2] }, {}, {}, 41);
    await receive([after]);
    expect(screen.queryByText("Pot: six chips")).toBeNull();
    expect(document.body.textContent).toContain("the pot of six chips");
    await userEvent.keyboard(" ");
    expect(seatOf("Tobias")).toContain("eight chips");
  });

  test("a special round of drinks comes one drink before a player is out", async () => {
    SCENARIOS.lives = [
      setting(true, { loss: { ...LIVES.loss, tally: "taken" as const }, labels: { ...RULES.labels, lives: "drinks" } }),
      update({ lives: [3, 3, 3, 1, 3, 3], bids: [], special_seat: 3, starter: 3, turn: 3 }, OWN_IDLE),
    ];
    await renderScenario("lives");
    const banner = screen.getByRole("region", { name: "Mustache Round!" });
    expect(banner.textContent).toContain("Jun is one drink short of being out.");
  });
});

/** What a player who is out sees and may do. */
describe("table out", () => {
  useTablePage();

  const OUT = { dice: [0, 3, 2, 0, 1, 2], turn: 2, bids: [] };
  const OUT_OWN = { ...OWN_IDLE, hand: [], counts: [], may_guess: true };
  const CUPS = [[], [2, 3, 3], [5, 5], [], [6], [1, 4]];

  test("a player who is out sees all cups only if the server sends them", async () => {
    SCENARIOS.closed = [setting(), update(OUT, OUT_OWN)];
    await renderScenario("closed");
    const seats = screen.getByRole("list", { name: /^The others/ });
    expect(within(seats).queryAllByRole("img", { name: /die showing/ })).toHaveLength(0);
    expect(screen.getByText("You are out. You see the dice when somebody calls.")).toBeTruthy();
    await receive([update(OUT, { ...OUT_OWN, cups: CUPS }, {}, 41)]);
    expect(within(seats).queryAllByRole("img", { name: /die showing/ })).toHaveLength(8);
    expect(screen.getByText("You are out, and see all cups.")).toBeTruthy();
  });

  test("a player who is out guesses the next call, and reads the points after it", async () => {
    SCENARIOS.guess = [setting(), update(OUT, OUT_OWN)];
    await renderScenario("guess");
    const panel = screen.getByRole("region", { name: "Guess the next call" });
    expect(within(panel).getAllByRole("radio")).toHaveLength(4); // those with dice
    await userEvent.click(within(panel).getByRole("radio", { name: /Ines/ }));
    await userEvent.click(within(panel).getByRole("button", { name: "…and is wrong" }));
    expect(commands()).toEqual([{ type: "guess_call", caller: 2, right: false }]);
    const guess = { seat: 0, caller: 2, right: false };
    await receive([update(OUT, { ...OUT_OWN, may_guess: false, guess }, {}, 41)]);
    expect(within(panel).getByText("You guess: Ines calls, and is wrong.")).toBeTruthy();
    expect(within(panel).queryByRole("radio")).toBeNull();
    const after = { ...OUT, turn: null, phase: "deal" as const, verdict: VERDICT, guess_points: [2, 0, 0, 0, 0, 0] };
    await receive([update(after, { ...OUT_OWN, may_guess: false, guess }, {}, 42)]);
    expect(screen.getByText("You guess: Ines calls, and is wrong. 2 points")).toBeTruthy();
  });
});

import { render, screen, within } from "@testing-library/svelte";
import userEvent, { type UserEvent } from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";
import type { PresetCard, RulesForm, RulesResponse, RuleField, TableForm } from "../lib/protocol";
import { rememberName } from "../lib/player.svelte";
import { navigate, route } from "../lib/router.svelte";
import { rulesAnswer } from "../testing/tableFrames";
import { ruleSheetUrl } from "../rules/rulesUrl";
import NewTable from "./NewTable.svelte";

const CARDS: PresetCard[] = [
  { name: "perudo", title: "Perudo", line: "All in.", players_min: 2, players_max: 10, dice: 5, options: [] },
  { name: "classic", title: "Classic", line: "Plain.", players_min: 2, players_max: 5, dice: 5, options: ["aces"] },
];
let opened: TableForm[] = [];
let addresses: string[] = [];
let refusing = false;
let offline = false;

beforeEach(() => {
  opened = [];
  addresses = [];
  refusing = offline = false;
  vi.stubGlobal("fetch", (address: string, init?: RequestInit) => {
    if (offline) return Promise.reject(new TypeError("Failed to fetch"));
    const form = init?.body ? (JSON.parse(init.body as string) as unknown) : null;
    if (address.startsWith("/api/presets")) return Promise.resolve(Response.json(CARDS));
    if (address === "/api/rules") return Promise.resolve(Response.json(rules(form as RulesForm)));
    if (refusing) return Promise.resolve(Response.json({ code: "try_again", text: "" }, { status: 503 }));
    addresses.push(address);
    opened.push(form as TableForm);
    return Promise.resolve(Response.json({ code: "K7P4", player: 1 }));
  });
});

function rules(form: RulesForm): RulesResponse {
  const reverse = form.changes?.["turn.starter_may_reverse"] === true;
  const common = { section: "turn", least: null, most: null };
  const switches: RuleField[] = [
    {
      ...common,
      path: "turn.starter_may_reverse",
      title: "Reversa",
      kind: "switch",
      value: reverse,
      options: [
        { value: false, words: "Nobody turns.", problem: "" },
        { value: true, words: "The starter turns.", problem: "" },
      ],
      changed: reverse,
    },
    {
      ...common,
      path: "wilds.needs_natural",
      title: "Naturals",
      kind: "switch",
      value: false,
      options: [
        { value: false, words: "Wild dice always count.", problem: "" },
        { value: true, words: "Only with a natural.", problem: "nothing is wild" },
      ],
      changed: false,
    },
    {
      ...common,
      path: "guards.max_rounds",
      title: "Most rounds",
      kind: "number",
      value: 20,
      options: [
        { value: null, words: "no limit", problem: "It could go on for ever." },
        { value: 20, words: "20", problem: "" },
      ],
      changed: false,
    },
  ];
  const text = reverse ? "The starter turns." : "Nobody turns.";
  const sections = [{ key: "turn", title: "Your turn", sentences: [{ key: "turn", text }], chart: null }];
  const title = (form.changes?.["labels.game"] as string | undefined) ?? "Perudo";
  const address = ruleSheetUrl(form.rules ?? "", form.changes);
  return rulesAnswer(form, { title, address, sections, fields: switches });
}

/** Unfolds the variants of the chosen game. */
async function unfoldVariants(user: UserEvent): Promise<void> {
  await user.click(await screen.findByText(/^Variants/));
}

test.each(["", "Ines"])(
  "the page asks for a name where it knows none (%j), and keeps the rest behind More",
  (known) => {
    if (known) rememberName(known);
    render(NewTable);
    const more = screen.getByText("More").closest("details");
    expect(more?.open).toBe(false);
    expect(more?.contains(screen.getByLabelText("Your name"))).toBe(known !== "");
    for (const name of ["Name of the table", /^Let others watch/])
      expect(more?.contains(screen.getByLabelText(name))).toBe(true);
    expect(screen.getByText("Variants").closest("details")?.open).toBe(false);
    expect(screen.queryByRole("switch", { name: /Reversa/ })).toBeNull();
  },
);

test("friends get free seats and bots all of them, and some bots may join friends", async () => {
  const user = userEvent.setup();
  render(NewTable);
  const line = (): string[] =>
    within(screen.getByRole("list", { name: /seats$/ }))
      .getAllByRole("listitem")
      .map((seat) => seat.textContent.trim());
  await vi.waitFor(() => expect(line()).toEqual(["You", "Open", "Open", "Open", "Open"]));
  await user.click(screen.getByRole("radio", { name: "Bots" }));
  expect(line()).toEqual(["You", "Bot", "Bot", "Bot"]);
  await user.click(screen.getByRole("button", { name: "Bots: less" }));
  expect(line()).toEqual(["You", "Bot", "Bot"]);
  await user.click(screen.getByRole("radio", { name: "Friends by link" }));
  await user.click(screen.getByRole("button", { name: "Bots: more" }));
  await user.click(screen.getByRole("button", { name: "Seats: less" }));
  expect(line()).toEqual(["You", "Open", "Open", "Bot"]);
  await user.click(screen.getByRole("button", { name: "Seats: less" }));
  await user.click(screen.getByRole("button", { name: "Seats: less" }));
  expect(line()).toEqual(["You", "Open"]);
});

test("without a network the page says so, and shows the games when it is back", async () => {
  offline = true;
  render(NewTable);
  await vi.waitFor(() => expect(screen.getAllByText(/^No connection/)).toHaveLength(2));
  expect(screen.queryByText("Loading the games…")).toBeNull();
  expect(screen.getAllByRole("button", { name: "Try again" })).toHaveLength(2);
  offline = false;
  dispatchEvent(new Event("online"));
  expect(await screen.findByRole("radio", { name: /Classic/ })).toBeTruthy();
  await unfoldVariants(userEvent.setup());
  expect(await screen.findByRole("switch", { name: /Reversa/ })).toBeTruthy();
  expect(screen.queryByText(/^No connection/)).toBeNull();
});

test("a switch changes the rulebook, the URL and the opened table", async () => {
  const user = userEvent.setup();
  render(NewTable);
  await unfoldVariants(user);
  await user.click(await screen.findByRole("switch", { name: /Reversa/ }));
  const rulebook = await screen.findByRole("group", { name: "The rules at this table" });
  await vi.waitFor(() => expect(rulebook.textContent).toContain("The starter turns."));
  expect(location.search).toBe("?rules=perudo&turn.starter_may_reverse=true");
  await user.type(screen.getByLabelText("Your name"), "Ines");
  await user.click(screen.getByRole("button", { name: /^Open the table/ }));
  expect(opened[0]).toMatchObject({ name: "Ines", rules: "perudo", changes: { "turn.starter_may_reverse": true } });
  expect(opened[0]?.seats).toBe(5);
  expect(route.path).toBe("/t/K7P4");
});

test("a conflicting choice says why and is disabled", async () => {
  render(NewTable);
  await unfoldVariants(userEvent.setup());
  const naturals = await screen.findByRole<HTMLInputElement>("switch", {
    name: /Naturals/,
    description: /nothing is wild/,
  });
  expect(naturals.disabled).toBe(true);
  const rounds = screen.getByRole("combobox", { name: /Most rounds/, description: /no limit .*go on for ever/ });
  expect(within(rounds).getByRole<HTMLOptionElement>("option", { name: "no limit" }).disabled).toBe(true);
});

test("rules come from the URL, and an error leaves the form as it was", async () => {
  navigate("/new?rules=classic%2Baces&dice.per_player=6", { replace: true });
  refusing = true;
  const user = userEvent.setup();
  render(NewTable);
  expect((await screen.findByRole<HTMLInputElement>("radio", { name: /Classic/ })).checked).toBe(true);
  await unfoldVariants(user);
  expect(await screen.findByRole("button", { name: "Wild ones (aces)", pressed: true })).toBeTruthy();
  await user.click(screen.getByRole("button", { name: /^Open the table/ }));
  expect((await screen.findByRole("alert")).textContent).toContain("Try again in a moment");
  expect(location.search).toBe("?rules=classic%2Baces&dice.per_player=6");
  expect(screen.getByRole<HTMLButtonElement>("button", { name: /^Open the table/ }).disabled).toBe(false);
});

test("the next table is opened as the last one was with one click, and another form goes back to it with one", async () => {
  const user = userEvent.setup();
  const first = render(NewTable);
  await user.click(await screen.findByRole("radio", { name: /^Classic ?Plain/ }));
  await unfoldVariants(user);
  await user.click(await screen.findByRole("switch", { name: /Reversa/ }));
  await user.click(screen.getByRole("radio", { name: "Bots" }));
  await user.click(screen.getByRole("switch", { name: /^Let others watch/ }));
  expect(screen.queryByRole("button", { name: /as last time/i })).toBeNull();
  await user.click(screen.getByRole("button", { name: /^Open the table/ }));
  first.unmount();

  navigate("/new", { replace: true });
  const second = render(NewTable);
  const again = await screen.findByRole("button", { name: /^Open as last time.*3 bots$/ });
  await vi.waitFor(() => expect(location.search).toBe("?rules=classic&turn.starter_may_reverse=true"));
  await user.click(again);
  const options = { rules: "classic", changes: { "turn.starter_may_reverse": true }, spectators: false, seats: 4 };
  expect(opened).toEqual([expect.objectContaining(options), expect.objectContaining(options)]);
  second.unmount();

  navigate("/new?rules=perudo", { replace: true });
  render(NewTable);
  await user.click(await screen.findByRole("radio", { name: "Friends by link" }));
  expect(screen.getByRole("button", { name: /^Open the table/ })).toBeTruthy();
  await user.click(screen.getByRole("button", { name: "As last time" }));
  expect(await screen.findByRole("button", { name: /^Open as last time/ })).toBeTruthy();
  expect(
    (await screen.findByRole<HTMLInputElement>("radio", { name: /^Perudo: Reversa|^Classic: Reversa/ })).checked,
  ).toBe(true);
  expect(screen.getByRole<HTMLInputElement>("radio", { name: "Bots" }).checked).toBe(true);
});

test("changed rules that a table was opened with come first next time, each with a link", async () => {
  const user = userEvent.setup();
  const reversed = "?rules=perudo&turn.starter_may_reverse=true";
  for (const query of ["?rules=classic", reversed, "?rules=classic&labels.game=Rosa%27s+dice", reversed]) {
    navigate(`/new${query}`, { replace: true });
    const { unmount } = render(NewTable);
    await screen.findByRole("radio", { name: /^Classic ?Plain/ });
    await user.click(screen.getByRole("button", { name: /^Open/ }));
    await vi.waitFor(() => expect(route.path).toBe("/t/K7P4"));
    unmount();
  }
  navigate("/new?rules=classic", { replace: true });
  render(NewTable);
  const games = within(await screen.findByRole("list", { name: "Your games" })).getAllByRole("radio");
  expect(games.map((game) => game.closest("label")?.textContent.trim())).toEqual([
    expect.stringMatching(/^Perudo: Reversa *1 change$/),
    expect.stringMatching(/^Rosa's dice *Classic · 1 change$/),
  ]);
  await user.click(screen.getByRole("radio", { name: /^Rosa's dice/ }));
  await vi.waitFor(() => expect(location.search).toBe("?rules=classic&labels.game=Rosa%27s+dice"));
  expect(screen.getByRole<HTMLInputElement>("radio", { name: /^Rosa's dice/ }).checked).toBe(true);
  expect(screen.getByRole<HTMLInputElement>("radio", { name: /^Classic/ }).checked).toBe(false);
  await user.click(screen.getByRole("button", { name: "Copy the link of Rosa's dice" }));
  expect(await navigator.clipboard.readText()).toBe(`${location.origin}/rules/classic?labels.game=Rosa%27s+dice`);
  expect(await screen.findByText("The link is copied")).toBeTruthy();
});

test("a table of a group is opened by the group, which gives it names", async () => {
  navigate("/new?rules=perudo&group=SPQQNS2345");
  render(NewTable);
  const user = userEvent.setup();
  await screen.findByText("Nobody turns.");
  expect(location.search).toContain("&group=SPQQNS2345");
  expect(screen.queryByLabelText("Your name")).toBeNull();
  await user.click(screen.getByRole("button", { name: /^Open the table/ }));
  await vi.waitFor(() => expect(route.path).toBe("/t/K7P4"));
  expect(addresses).toEqual(["/api/groups/SPQQNS2345/tables"]);
  expect((opened[0] as unknown as { form: TableForm }).form).toMatchObject({ rules: "perudo", changes: {} });
});

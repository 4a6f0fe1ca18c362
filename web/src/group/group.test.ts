import { render, screen, waitFor, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, test, vi } from "vitest";
import type { AtDoor, GroupDoor, GroupPage, GroupView, Standing } from "../lib/protocol";
import { setLanguage } from "../lib/i18n.svelte";
import { kept } from "../lib/storage";
import { navigate, route } from "../lib/router.svelte";
import Group from "../pages/Group.svelte";
import { comingWords, eveningOf, minuteWords, nightWhen, nightWords, rivalWords, standingWords } from "./groupWords";

const CODE = "SPQQNS2345";
const NIGHT = new Date(2026, 10, 19, 21).getTime();

const member = (id: number, name: string, coming: GroupView["members"][number]["coming"] = null) => ({
  id,
  name,
  face: id,
  coming,
  devices: 1,
  gone: false,
});

const row = (id: number, points: number, values: Partial<Standing> = {}): Standing => ({
  member: id,
  place: 1,
  points,
  matches: 3,
  wins: 0,
  nights: 2,
  nights_won: 0,
  streak: 0,
  ...values,
});

function groupView(values: Partial<GroupView> = {}): GroupView {
  return {
    code: CODE,
    name: "The Crooked Spoon",
    me: 1,
    founder: 1,
    founded_at_ms: NIGHT - 70 * 86_400_000,
    timezone: "Europe/Madrid",
    language: "en",
    members: [member(1, "Nia", "yes"), member(2, "Cleo", "late"), member(3, "Bob")],
    waiting: [],
    games: [{ id: 1, name: "Last hour", versions: [{ at_ms: NIGHT, by: 2, rules: "classic", changes: {} }] }],
    tonight: 1,
    tables: [],
    date: { weekday: 3, minute: 1260, timezone: "Europe/Madrid" },
    next_ms: NIGHT,
    season: { number: 2, began_at_ms: NIGHT, scoring: "rivals", ended_at_ms: null, winners: [], points: 0 },
    standings: [row(2, 5, { nights_won: 2, streak: 2 }), row(1, 4, { place: 2, nights_won: 1 })],
    night_count: 4,
    nights: [],
    season_nights: values.nights?.length ?? 0,
    rivalries: [],
    records: { boldest: null, tightest: null, most_caught: null, longest: null },
    champions: [],
    calendar: `/api/groups/${CODE}/calendar.ics?key=k`,
    chat: "",
    as_last_time: true,
    voted: {},
    ...values,
  };
}

function groupDoor(waiting: AtDoor | null = null): GroupDoor {
  return { code: CODE, name: "The Crooked Spoon", member_count: 3, weekday: 3, waiting };
}

const VERA: AtDoor = {
  ...{ number: 7, name: "Vera", face: 0, at_ms: NIGHT, member: null },
  ...{ dice: [], vouched: [], opens_ms: null },
};

describe("words", () => {
  test("a night is told by its day, its time and how long it is until then", () => {
    expect(nightWhen(NIGHT, NIGHT - 40 * 60_000)).toEqual({ day: "Tonight", time: "21:00", text: "In 40 minutes." });
    expect(nightWhen(NIGHT, NIGHT + 60_000).text).toBe("The evening has begun.");
    expect(nightWhen(NIGHT, NIGHT - 86_400_000)).toEqual({ day: "Tomorrow", time: "21:00", text: "November 19." });
    expect(nightWhen(NIGHT, NIGHT - 3 * 86_400_000).day).toBe("Thursday");
  });

  test("the evening of a match is a day and a half hour in this browser's time zone", () => {
    const { weekday, minute } = eveningOf(NIGHT + 44 * 60_000);
    expect([weekday, minuteWords(minute)]).toEqual([3, "21:30"]);
  });

  test("who comes is counted, and who comes later is named", async () => {
    expect(comingWords(groupView())).toBe("Two are coming, Cleo later.");
    expect(comingWords(groupView({ members: [member(1, "Nia")] }))).toBe("Nobody has said yet who is coming.");
    await setLanguage("es");
    expect(comingWords(groupView())).toBe("Vienen dos; más tarde, Cleo.");
  });

  test("the standings say the best of each row, and how far the reader is behind", () => {
    const view = groupView();
    const told = (values: Partial<Standing>, id = 3): string =>
      standingWords(view, row(id, 1, { place: 3, ...values }));
    expect(told({ streak: 2 })).toBe("Won the last two nights.");
    expect(standingWords(view, row(1, 4, { place: 2, nights_won: 1 }))).toBe("One point behind Cleo.");
    expect(told({ nights_won: 1 })).toBe("Won 1 of 2 nights.");
    expect(told({ wins: 1 })).toBe("Won 1 of 3 matches.");
    expect(told({})).toBe("3 matches without a win. Due.");
  });

  test("a night has its winners, and a place for the reader", () => {
    const night = {
      date: "2026-11-19",
      winners: [2],
      points: { 1: 1, 2: 5, 3: 3 },
      guessed: { 3: 2 },
      liars: {},
      matches: [],
    };
    expect(nightWords(groupView(), night)).toEqual([
      "The night of Cleo",
      "0 matches. You came in at number 3. Bob guessed best after being out.",
    ]);
    expect(nightWords(groupView(), { ...night, liars: { 3: 2, 2: 1 } })[1]).toMatch(/Best liar, by two votes: Bob\.$/);
    expect(nightWords(groupView(), { ...night, winners: [1] })[0]).toBe("Your night");
    expect(nightWords(groupView(), { ...night, winners: [], points: {} })[0]).toBe("Nobody's night");
  });

  test("a rivalry is told by who caught whom", () => {
    const rivalry = { other: 2, caught: 4, caught_by: 9, beaten: 0, beaten_by: 0, latest: null };
    expect(rivalWords(groupView(), rivalry)).toEqual([
      "Cleo has caught you nine times.",
      "You have caught Cleo four times.",
    ]);
    expect(rivalWords(groupView(), { ...rivalry, caught_by: 0 })[0]).toBe("You have caught Cleo four times.");
  });
});

describe("page", () => {
  let page: GroupPage;
  /** What was posted: the last part of the address and the form. */
  let posted: [string, unknown][];
  let asked: string[] = [];
  let earlier: unknown[] = [];
  let refusal: { code: string; text: string } | null;
  let unreachable: boolean;
  /** Ends what `GET` waits for, if it is held. */
  let release: (() => void) | null;
  let held: Promise<void> | null;

  beforeEach(() => {
    page = { inside: groupView(), door: null };
    posted = [];
    asked = [];
    refusal = held = release = null;
    unreachable = false;
    vi.stubGlobal("fetch", async (address: string, init?: RequestInit) => {
      if (unreachable) throw new TypeError("Failed to fetch");
      if (address.startsWith("/api/presets")) return Response.json([]);
      if (address === "/api/push-key") return Response.json({ key: "k" });
      if (address.includes("/nights?")) {
        asked.push(address);
        return Response.json(earlier);
      }
      if (init?.method !== "POST") {
        const answer = Response.json(page);
        if (held) await held;
        return answer;
      }
      posted.push([address.split("/").at(-1) ?? "", JSON.parse(init.body as string)]);
      if (refusal) return Response.json(refusal, { status: 403 });
      return Response.json(
        address.endsWith("tables") || address.endsWith("seats") ? { code: "K7P4", player: 1 } : page,
      );
    });
  });

  function commands(): unknown[] {
    return posted.filter(([what]) => what === "do").map(([, form]) => (form as { command: unknown }).command);
  }

  async function show(): Promise<ReturnType<typeof userEvent.setup>> {
    render(Group, { code: CODE.toLowerCase() });
    await screen.findByRole("heading", { level: 1 });
    return userEvent.setup();
  }

  /** Lets dialogs open: jsdom cannot open them as modal. */
  function stubDialogs(): void {
    HTMLDialogElement.prototype.showModal = function show(this: HTMLDialogElement) {
      this.open = true;
    };
  }

  async function comeBack(): Promise<void> {
    document.dispatchEvent(new Event("visibilitychange"));
    await vi.waitFor(() => undefined);
  }

  test("one tap opens the table as last time, and the browser remembers the group", async () => {
    const user = await show();
    expect(kept("groups")).toEqual({ [CODE]: "The Crooked Spoon" });
    await user.click(screen.getByRole("button", { name: /Open the table as last time/ }));
    await waitFor(() => expect(route.path).toBe("/t/K7P4"));
    expect(posted).toEqual([["tables", { commitment: expect.stringMatching(/^[0-9a-f]{64}$/) as string }]]);
    expect(Object.keys(kept("commitments"))).toEqual(["K7P4/1"]);
  });

  test("a member takes a seat at an open table under their own name", async () => {
    const table = { code: "K7P4", title: "", game: "Perudo", rules_name: "perudo", stage: "gathering" } as const;
    const seats = { player_names: ["Bob"], seats: 6, spectators: true, hints: false, training: false, locked: false };
    const summary = {
      ...table,
      ...seats,
      invite: "/t/K7P4?invite=x",
      seated: false,
      opener: false,
      on_turn: false,
      best_of: 1,
    };
    page = { inside: groupView({ tables: [{ ...summary, matches: 2 }] }), door: null };
    const user = await show();
    expect(screen.getByText("Bob is sitting there, nothing is dealt yet.")).toBeDefined();
    await user.click(screen.getByRole("button", { name: "Take your seat" }));
    await waitFor(() => expect(route.path + location.search).toBe("/t/K7P4?invite=x"));
    expect(posted).toEqual([["seats", expect.objectContaining({ name: "Nia" })]]);
    expect(Object.keys(kept("commitments"))).toEqual(["K7P4/3"]);
  });

  test("members say whether they come, let somebody in, and vouch only after the dice are shown", async () => {
    const bob = { ...VERA, number: 8, name: "Bob", member: 3, dice: [3, 1, 6, 4, 2], vouched: [2] };
    page = { inside: groupView({ waiting: [VERA, bob] }), door: null };
    const user = await show();
    expect(document.title).toBe("(2) The Crooked Spoon · Liar's Dice");
    await user.click(screen.getByRole("button", { name: "Later" }));
    await user.click(screen.getByRole("button", { name: "Let in: Vera" }));
    await user.click(screen.getByText("Call, and compare the dice"));
    expect(screen.getByRole("img", { name: "three, one, six, four, two" })).toBeDefined();
    expect(screen.getByText("Cleo said yes. One more, and the place is given back.")).toBeDefined();
    await user.click(screen.getByRole("button", { name: "It is Bob" }));
    expect(commands()).toEqual([
      { type: "say_coming", coming: "late" },
      { type: "admit", number: 7 },
      { type: "admit", number: 8 },
    ]);
  });

  test("nobody vouches for themselves or twice", async () => {
    page = { inside: groupView({ waiting: [{ ...VERA, name: "Nia", member: 1 }] }), door: null };
    await show();
    expect(screen.queryByRole("button", { name: "It is Nia" })).toBeNull();
    page = { inside: groupView({ waiting: [{ ...VERA, name: "Bob", member: 3, vouched: [1] }] }), door: null };
    await comeBack();
    await screen.findByText("Bob has a new phone");
    expect(screen.queryByRole("button", { name: "It is Bob" })).toBeNull();
  });

  test("a stranger asks, waits, and sees the group as soon as the door opens", async () => {
    page = { inside: null, door: groupDoor() };
    const user = await show();
    expect(kept("groups")).toEqual({});
    await user.type(screen.getByLabelText("Your name"), "Vera");
    page = { inside: null, door: groupDoor(VERA) };
    await user.click(screen.getByRole("button", { name: "Ask to join" }));
    await screen.findByRole("heading", { name: "You have knocked" });
    expect(posted).toEqual([["knock", { name: "Vera", lost: false, face: 0 }]]);
    expect(kept("groups")).toEqual({ [CODE]: "The Crooked Spoon" });
    page = { inside: groupView(), door: null };
    await comeBack();
    await screen.findByRole("heading", { name: "Season 2" });
  });

  test("what one types at the door stays while the page asks the server again", async () => {
    page = { inside: null, door: groupDoor() };
    const user = await show();
    await user.click(screen.getByRole("button", { name: "I lost my phone" }));
    await user.type(screen.getByLabelText("Your name in the group"), "Bo");
    page = { inside: null, door: { ...groupDoor(), member_count: 4 } };
    await comeBack();
    await screen.findByText(/^Four friends play here each Thursday/);
    expect(screen.getByLabelText("Your name in the group")).toHaveProperty("value", "Bo");
    refusal = { code: "unavailable", text: "nobody in this group has that name" };
    await user.click(screen.getByRole("button", { name: "Ask them" }));
    expect(await screen.findByText("That is not possible: nobody in this group has that name.")).toBeDefined();
    expect(posted).toEqual([["knock", { name: "Bo", lost: true, face: 0 }]]);
  });

  test("an answer from before a command does not undo what the command showed", async () => {
    const user = await show();
    held = new Promise((done) => (release = done));
    await comeBack(); // it is asked now, and answers later
    page = { inside: groupView({ name: "The Last Candle" }), door: null };
    await user.click(screen.getByRole("button", { name: "Not today" }));
    await screen.findByRole("heading", { name: "The Last Candle" });
    release?.();
    await held;
    await vi.waitFor(() => undefined);
    expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("The Last Candle");
  });

  test("a link for a second device is redeemed once and leaves the address", async () => {
    navigate(`/g/${CODE}#device=a%20b`);
    await show();
    expect(posted).toEqual([["redeem", { ticket: "a b" }]]);
    expect(location.hash).toBe("");
  });

  test("a page without a network says so and keeps what it shows", async () => {
    await show();
    unreachable = true;
    await comeBack();
    expect(await screen.findByText("No connection. Check the network, then try again.")).toBeDefined();
    expect(screen.getByRole("heading", { name: "Season 2" })).toBeDefined();
  });

  test("a group is founded by a form, and its page follows with the link to share", async () => {
    const { rerender } = render(Group, {});
    const user = userEvent.setup();
    page = {
      inside: groupView({ members: [member(1, "Nia")], night_count: 0, date: null, next_ms: null }),
      door: null,
    };
    await user.type(screen.getByLabelText("Name of the group"), "The Crooked Spoon");
    await user.type(screen.getByLabelText("Your name"), "Nia");
    await user.click(screen.getByRole("button", { name: "Start the group" }));
    await waitFor(() => expect(route.path).toBe(`/g/${CODE}`));
    const { timeZone: timezone } = Intl.DateTimeFormat().resolvedOptions();
    const form = { name: "The Crooked Spoon", person: "Nia", face: 0, timezone, language: "en" };
    expect(posted).toEqual([["groups", form]]);
    await rerender({ code: CODE });
    expect(await screen.findByText(`${location.host}/g/${CODE}`)).toBeDefined();
    expect(screen.getByText("Bring your friends")).toBeDefined();
  });

  test("a group that is closed is forgotten", async () => {
    await show();
    page = { inside: null, door: null };
    await comeBack();
    await screen.findByRole("heading", { name: "There is no such group" });
    expect(kept("groups")).toEqual({});
  });

  test("the founder ends a season after a question in place", async () => {
    const user = await show();
    await user.click(screen.getByText("Scoring, and the end of the season"));
    await user.click(screen.getByText("End season 2"));
    await user.selectOptions(screen.getByLabelText("What counts in the next one"), "places");
    await user.click(screen.getByRole("button", { name: "End it now" }));
    expect(commands()).toEqual([{ type: "end_season", scoring: "places" }]);
    page = { inside: groupView({ standings: [] }), door: null };
    await comeBack();
    await waitFor(() => expect(screen.queryByText("End season 2")).toBeNull()); // nobody leads yet
  });

  test("others have no settings, and a group without an evening takes that of the last night", async () => {
    const matches = [{ table: "T1", match: 1, at_ms: NIGHT + 1_000_000 }];
    const night = { date: "2026-11-19", winners: [2], points: { 2: 3 }, guessed: {}, liars: {}, matches };
    page = { inside: groupView({ founder: 2, date: null, next_ms: null, nights: [night] }), door: null };
    const user = await show();
    expect(screen.queryByRole("button", { name: "Settings" })).toBeNull();
    expect(screen.queryByText("Scoring, and the end of the season")).toBeNull();
    await user.click(screen.getByRole("button", { name: "Every Thursday, 21:00" }));
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
    expect(commands()).toEqual([{ type: "set_date", date: { weekday: 3, minute: 1260, timezone: timeZone } }]);
  });

  test("earlier nights of the season come when they are asked for", async () => {
    const night = (date: string) => ({ date, winners: [2], points: { 2: 3 }, guessed: {}, liars: {}, matches: [] });
    page = { inside: groupView({ nights: [night("2026-11-19")], season_nights: 2 }), door: null };
    earlier = [night("2026-11-12")];
    const user = await show();
    expect(within(screen.getByRole("region", { name: "Last nights" })).getAllByRole("listitem")).toHaveLength(1);
    await user.click(screen.getByRole("button", { name: "Earlier nights" }));
    await waitFor(() => expect(screen.queryByRole("button", { name: "Earlier nights" })).toBeNull());
    expect(within(screen.getByRole("region", { name: "Last nights" })).getAllByRole("listitem")).toHaveLength(2);
    expect(asked).toContain(`/api/groups/${CODE}/nights?before=2026-11-19`);
  });

  test("the only other member says yes, and again after three days", async () => {
    const ann = { ...VERA, name: "Cleo", member: 2, vouched: [1] };
    page = { inside: groupView({ waiting: [{ ...ann, opens_ms: Date.now() + 86_400_000 }] }), door: null };
    await show();
    expect(screen.getByText(/on your yes is enough, unless the old phone of Cleo says no before/)).toBeDefined();
    expect(screen.queryByRole("button", { name: "It is Cleo" })).toBeNull();
    page = { inside: groupView({ waiting: [{ ...ann, opens_ms: Date.now() - 1 }] }), door: null };
    await comeBack();
    await userEvent.click(await screen.findByRole("button", { name: "It is Cleo" }));
    expect(commands()).toEqual([{ type: "admit", number: 7 }]);
  });

  test("who played the last night votes for its best liar, and not for themselves", async () => {
    const matches = [{ table: "T1", match: 1, at_ms: NIGHT }];
    const points = { 1: 2, 2: 3, 3: 0 };
    const night = { date: "2026-11-19", winners: [2], points, guessed: {}, liars: {}, matches };
    page = { inside: groupView({ nights: [night] }), door: null };
    const user = await show();
    await user.click(screen.getByText("Who lied best that night?"));
    expect(screen.queryByRole("button", { name: "Nia" })).toBeNull();
    page = { inside: groupView({ nights: [night], voted: { [night.date]: 3 } }), door: null };
    await user.click(screen.getByRole("button", { name: "Bob" }));
    expect(commands()).toEqual([{ type: "vote_liar", night: "2026-11-19", member: 3 }]);
    expect(screen.getByRole("button", { name: "Bob", pressed: true })).toBeDefined();
  });

  test("a browser is told when the group meets, if notifications are allowed", async () => {
    stubDialogs();
    const listed = new Set<string>();
    const cache = {
      match: (path: string) => Promise.resolve(listed.has(path) ? new Response("") : undefined),
      put: (path: string) => Promise.resolve(void listed.add(path)),
      delete: (path: string) => Promise.resolve(listed.delete(path)),
    };
    vi.stubGlobal("caches", { open: () => Promise.resolve(cache) });
    vi.stubGlobal("PushManager", Object);
    const requestPermission = vi.fn(() => Promise.resolve("denied"));
    vi.stubGlobal("Notification", { requestPermission });
    const subscribe = () => Promise.resolve({ endpoint: "https://push.example/1" });
    const getRegistration = () => Promise.resolve({ pushManager: { subscribe } });
    vi.stubGlobal("navigator", Object.assign(navigator, { serviceWorker: { getRegistration } }));
    const user = await show();
    await user.click(screen.getByRole("button", { name: "Evening and calendar" }));
    const option = screen.getByRole("switch", { name: /^Tell this browser/ });
    await user.click(option);
    expect(await screen.findByText(/^This browser cannot be told/)).toBeDefined();
    expect(option).toHaveProperty("checked", false);
    requestPermission.mockResolvedValue("granted");
    await user.click(option);
    await waitFor(() => expect([...listed]).toEqual([`/g/${CODE}`]));
    const endpoint = "https://push.example/1";
    expect(commands()).toEqual([{ type: "push_group", endpoint, wanted: true }]);
    Reflect.deleteProperty(navigator, "serviceWorker");
  });

  test("the founder renames the group, and what is typed stays while the page asks again", async () => {
    stubDialogs();
    const user = await show();
    await user.click(screen.getByRole("button", { name: "Settings" }));
    const dialog = within(screen.getByRole("dialog"));
    const field = dialog.getByLabelText("Name of the group");
    await user.clear(field);
    await user.type(field, "The Wet Boot");
    page = { inside: groupView({ night_count: 5 }), door: null };
    await comeBack();
    await screen.findByText(/5 nights/);
    expect(field).toHaveProperty("value", "The Wet Boot");
    await user.click(dialog.getByRole("button", { name: "Rename" }));
    expect(commands()).toEqual([{ type: "rename", name: "The Wet Boot" }]);
  });
});

describe("service worker", () => {
  const listeners = new Map<string, (event: { waitUntil: (work: unknown) => void }) => void>();
  const shown: [string, string | undefined][] = [];
  const known = new Map<string, string>();
  let inside: Pick<GroupView, "name" | "next_ms"> & { tables: { code: string; seated: boolean }[] };

  beforeEach(async () => {
    shown.length = 0;
    known.clear();
    known.set(`https://dice.example/g/${CODE}`, "");
    inside = { name: "The Crooked Spoon", next_ms: null, tables: [] };
    const self = {
      navigator: { language: "en" },
      addEventListener: (name: string, listener: never) => listeners.set(name, listener),
      registration: {
        showNotification: async (title: string, options: NotificationOptions) =>
          Promise.resolve(shown.push([title, options.body])),
      },
    };
    const groups = {
      keys: async () => Promise.resolve([...known.keys()].map((url) => ({ url }))),
      match: async ({ url }: { url: string }) => Promise.resolve(new Response(known.get(url))),
      put: async ({ url }: { url: string }, response: Response) => known.set(url, await response.text()),
    };
    const fetchGroup = async (): Promise<Response> => Promise.resolve(Response.json({ inside, door: null }));
    vi.stubGlobal("self", self);
    vi.stubGlobal("caches", { open: async () => Promise.resolve(groups) });
    vi.stubGlobal("fetch", fetchGroup);
    vi.resetModules();
    // @ts-expect-error it is a script of the browser, without types
    await import("../../public/sw.js");
  });

  async function push(): Promise<void> {
    let done: unknown = null;
    listeners.get("push")?.({ waitUntil: (work) => (done = work) });
    await done;
  }

  test("a push tells once that a table is open, once that the evening is near, and else of a turn", async () => {
    await push();
    inside.tables = [{ code: "K7P4", seated: false }];
    await push();
    await push();
    inside.tables = [{ code: "K7P4", seated: true }];
    inside.next_ms = Date.now() + 59 * 60_000;
    await push();
    expect(shown).toEqual([
      ["Liar's Dice", "It is your turn"],
      ["The Crooked Spoon", "The table is open"],
      ["Liar's Dice", "It is your turn"],
      ["The Crooked Spoon", "You meet within the hour"],
    ]);
  });

  test("a group that cannot be asked does not keep a turn from being told", async () => {
    inside = null as never;
    await push();
    expect(shown).toEqual([["Liar's Dice", "It is your turn"]]);
  });
});

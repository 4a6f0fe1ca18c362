import { render, screen } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test, vi, describe } from "vitest";
import type { ComponentProps } from "svelte";
import type {
  ErrorResponse,
  LabForm,
  LabProgress,
  MeasureComparison,
  RulesResponse,
  Penalty,
  RuleField,
  RulesForm,
} from "../lib/protocol";
import { RULES, rulesAnswer, setting } from "../testing/tableFrames";
import { RulesDraft, linkFields, sentenceKey } from "./rulesDraft.svelte";
import RulesLab from "./RulesLab.svelte";
import PenaltyList from "./PenaltyList.svelte";
import { TableFormState } from "./tableForm.svelte";
import TableOptions from "./TableOptions.svelte";

describe("rules lab", () => {
  let asked: string[] = [];
  let simulated: LabForm[] = [];
  let lines: unknown[] = [];
  let offered = true;
  let refusal: ErrorResponse | null = null;
  let lives = 0;
  let offline: Promise<Response> | null = null;

  beforeEach(() => {
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

  function response(init?: RequestInit): RulesResponse {
    const form = JSON.parse(init?.body as string) as RulesForm;
    return rulesAnswer(form, { base_title: "Perudo", simulated: lives === 0 });
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
    await vi.waitFor(() => expect(document.activeElement).toBe(screen.getByRole("table")));
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
      fail = () => reject(new TypeError("offline"));
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
});

const FIELD: RuleField = {
  path: "penalties",
  section: "House rules",
  title: "Penalties",
  kind: "penalties",
  value: [],
  options: [],
  least: 1,
  most: 10,
  changed: false,
};
const EARLY: Penalty = { trigger: "commits_offence", dice: 2, offence: "lifting a cup early" };
const TURN: Penalty = { trigger: "asks_whose_turn", dice: 1 };

/** Shows penalties; the list that is set last is shown next, as the rules of the form are. */
function show(
  penalties: Penalty[],
  field: Partial<RuleField> = {},
  target: HTMLElement = document.body,
): { penalties: () => Penalty[] } {
  let current = penalties;
  const props = (): ComponentProps<typeof PenaltyList> => ({
    choice: { ...FIELD, ...field },
    penalties: current,
    ruleset: RULES,
    onset,
  });
  const onset = (changed: Penalty[]): void => {
    current = changed;
    void view.rerender(props());
  };
  const view = render(PenaltyList, { target, props: props() });
  return { penalties: () => current };
}

test("a penalty is named in the words of the table, costs what its stepper says, and is removed", async () => {
  const user = userEvent.setup();
  const list = show([TURN]);
  const words = screen.getByLabelText<HTMLInputElement>("A penalty of your own");
  expect(screen.getByRole<HTMLButtonElement>("button", { name: "Add" }).disabled).toBe(true);
  await user.type(words, "  lifting a cup early ");
  await user.click(screen.getByRole("button", { name: "Add" }));
  expect(words.value).toBe("");
  await user.click(screen.getByRole("button", { name: "Cost of “lifting a cup early”: more" }));
  expect(list.penalties()).toEqual([TURN, EARLY]);
  expect(screen.getByRole("group", { name: "Cost of “lifting a cup early”" }).textContent).toContain("two dice");
  await user.click(screen.getByRole("button", { name: "Remove “lifting a cup early”" }));
  expect(list.penalties()).toEqual([TURN]);
});

test("Enter adds a penalty and does not send the form", async () => {
  const user = userEvent.setup();
  const form = document.body.appendChild(document.createElement("form"));
  let sent = 0;
  form.addEventListener("submit", () => (sent += 1));
  const list = show([], {}, form);
  await user.type(screen.getByLabelText("A penalty of your own"), "a cocked die{Enter}{Enter}");
  expect(list.penalties()).toEqual([{ trigger: "commits_offence", dice: 1, offence: "a cocked die" }]);
  expect(sent).toBe(0);
  form.remove();
});

test("penalties for questions stand before those of the table, in one order", async () => {
  const user = userEvent.setup();
  const list = show([EARLY]);
  await user.click(screen.getByRole("checkbox", { name: "Breaking any other rule of the table" }));
  await user.click(screen.getByRole("checkbox", { name: "Asking whose turn it is" }));
  expect(list.penalties()).toEqual([TURN, { trigger: "commits_offence", dice: 1 }, EARLY]);
  await user.click(screen.getByRole("checkbox", { name: "Asking whose turn it is" }));
  expect(list.penalties()).toEqual([{ trigger: "commits_offence", dice: 1 }, EARLY]);
});

test("a penalty without a name is for all offences only where no other penalty names one", () => {
  show([TURN]);
  expect(screen.getByRole("checkbox", { name: "Breaking a rule of the table" })).toBeTruthy();
});

test("the list says why there can be no penalties", () => {
  show([], { options: [{ value: [TURN], words: "It costs one die.", problem: "Dice are shown." }] });
  const question = screen.getByRole<HTMLInputElement>("checkbox", { name: "Asking whose turn it is" });
  expect(question.disabled).toBe(true);
  expect(screen.getByText(/Not possible with the other rules. Dice are shown./)).toBeTruthy();
  expect(screen.getByLabelText<HTMLInputElement>("A penalty of your own").disabled).toBe(true);
});

const field = (path: string, title: string): RuleField => ({
  path,
  title,
  section: "",
  kind: "switch",
  value: true,
  options: [],
  least: null,
  most: null,
  changed: false,
});
const FIELDS = [field("bidding.special_rank", "Bids on the special face"), field("exact_call.budget", "Budget")];

test("the titles of fields in a sentence about rules are links to them", () => {
  expect(linkFields("Check “Bids on the special face” and “Exact call: Budget”, not “else”.", FIELDS)).toEqual([
    { text: "Check ", path: null },
    { text: "“Bids on the special face”", path: "bidding.special_rank" },
    { text: " and ", path: null },
    { text: "“Exact call: Budget”", path: "exact_call.budget" },
    { text: ", not ", path: null },
    { text: "“else”", path: null },
    { text: ".", path: null },
  ]);
});

describe("rules draft", () => {
  let requests: { form: RulesForm; answer: (preview: Partial<RulesResponse>) => Promise<void> }[] = [];

  beforeEach(() => {
    vi.useFakeTimers();
    requests = [];
    vi.stubGlobal("fetch", (_: string, init: RequestInit) => {
      const form = JSON.parse(init.body as string) as RulesForm;
      return new Promise((resolve) => {
        const answer = async (preview: Partial<RulesResponse>): Promise<void> => {
          resolve(Response.json(rulesAnswer(form, { ...withSentence("Five dice."), ...preview })));
          await vi.advanceTimersByTimeAsync(0);
        };
        requests.push({ form, answer });
      });
    });
  });

  function withSentence(text: string): Partial<RulesResponse> {
    return { sections: [{ key: "turn", title: "Turn", sentences: [{ key: "dice", text }], chart: null }] };
  }

  test("several quick changes make one request", async () => {
    const draft = new RulesDraft("perudo");
    draft.set("dice.per_player", 6);
    draft.set("dice.per_player", 7);
    await vi.advanceTimersByTimeAsync(200);
    expect(requests.map(({ form }) => form.changes)).toEqual([{ "dice.per_player": 7 }]);
  });

  test("an answer to an outdated request is ignored", async () => {
    const draft = new RulesDraft("perudo");
    void draft.refresh();
    draft.choose("mustache");
    await vi.advanceTimersByTimeAsync(200);
    await requests[1]?.answer({ title: "new" });
    await requests[0]?.answer({ title: "old" });
    expect(draft.preview?.title).toBe("new");
    expect(draft.loading).toBe(false);
  });

  test("a change made while an answer is on its way is kept", async () => {
    const draft = new RulesDraft("perudo");
    draft.set("dice.per_player", 6);
    await vi.advanceTimersByTimeAsync(200);
    draft.set("dice.per_player", 7);
    await requests[0]?.answer({});
    expect(draft.changes).toEqual({ "dice.per_player": 7 });
    expect(draft.loading).toBe(true);
    await vi.advanceTimersByTimeAsync(200);
    expect(requests[1]?.form.changes).toEqual({ "dice.per_player": 7 });
  });

  test("a changed sentence is highlighted for a moment and announced", async () => {
    const draft = new RulesDraft("perudo");
    void draft.refresh();
    await requests[0]?.answer(withSentence("Five dice."));
    expect(draft.changedSentences).toEqual([]);
    draft.set("dice.per_player", 6);
    await vi.advanceTimersByTimeAsync(200);
    await requests[1]?.answer(withSentence("Six dice."));
    expect(draft.changedSentences).toEqual([sentenceKey("dice", "Six dice.")]);
    expect(draft.announcement).toBe("Six dice.");
    await vi.advanceTimersByTimeAsync(3000);
    expect(draft.changedSentences).toEqual([]);
  });

  test("conflicting rules stay as chosen, and no table can be opened with them", async () => {
    const draft = new RulesDraft("perudo", { "bidding.raise": "product" });
    void draft.refresh();
    await requests[0]?.answer({ changes: {}, problems: ["bids go round in a loop"] });
    expect(draft.changes).toEqual({ "bidding.raise": "product" });
    expect(draft.ready).toBe(false);
  });

  test("resetting a rule resets the rules inside it", () => {
    const draft = new RulesDraft("classic", { exact_call: true, "exact_call.budget": 2, "dice.per_player": 6 });
    draft.unset("exact_call");
    expect(draft.changes).toEqual({ "dice.per_player": 6 });
    draft.stop();
  });
});

test("a turn may last for days, which the form keeps", async () => {
  const form = new TableFormState();
  render(TableOptions, { form });
  await userEvent.click(screen.getByRole("radio", { name: "Days for each turn" }));
  expect(form.toRequest().clock).toEqual({ turn_s: 86_400, bank_s: 0 });
  await userEvent.click(screen.getByRole("radio", { name: "14 days" }));
  expect(form.toRequest().clock).toEqual({ turn_s: 14 * 86_400, bank_s: 0 });
  form.save({ rules: "perudo", changes: {} });
  expect(new TableFormState().toRequest().clock.turn_s).toBe(14 * 86_400);
  const twoDays = { ...setting().config, clock: { turn_s: 2 * 86_400, bank_s: 0 } };
  expect(new TableFormState(twoDays).toRequest().clock).toEqual(twoDays.clock);
});

test("a table can have a series of matches, whose length the form keeps", async () => {
  const form = new TableFormState();
  render(TableOptions, { form });
  expect(form.toRequest().best_of).toBe(1);
  await userEvent.click(screen.getByRole("radio", { name: "Best of 5" }));
  expect(screen.getByText("Whoever first wins 3 matches wins the series.")).toBeTruthy();
  expect(form.toRequest().best_of).toBe(5);
  form.save({ rules: "perudo", changes: {} });
  expect(new TableFormState().toRequest().best_of).toBe(5);
  expect(new TableFormState({ ...setting().config, best_of: 7 }).toRequest().best_of).toBe(7);
});

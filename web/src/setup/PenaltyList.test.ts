import { render, screen } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import type { ComponentProps } from "svelte";
import { expect, test } from "vitest";
import type { Penalty, RuleField } from "../lib/protocol";
import { RULES } from "../testing/tableFrames";
import PenaltyList from "./PenaltyList.svelte";

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

import { render, screen } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";
import type { OddsForm } from "../lib/protocol";
import { LANGUAGES, setLanguage, t, type Key, type Language } from "../lib/i18n.svelte";
import { RULES } from "../testing/tableFrames";
import advice from "../strategy/advice.json";
import Strategy from "./Strategy.svelte";

let forms: OddsForm[] = [];
let ruleset = RULES;
let others: number[] = [];
beforeEach(() => {
  [forms, ruleset, others] = [[], RULES, []];
  vi.stubGlobal("fetch", (url: string, init?: RequestInit) => {
    if (!url.endsWith("/api/odds")) return Promise.resolve(Response.json([]));
    forms.push(JSON.parse(init?.body as string) as OddsForm);
    const rows = [{ hidden: 8, percents: [96, 80, 53, 26] }];
    return Promise.resolve(Response.json({ ruleset, face: 4, others, charts: [{ wilds: true, rows }] }));
  });
});

test.each(Object.keys(LANGUAGES) as Language[])(
  "the page has every measured figure and every command in %s",
  async (language) => {
    await setLanguage(language);
    const { container } = render(Strategy);
    const text = container.textContent;
    for (const { advice: piece, verdict, evidence } of advice) {
      expect(text).toContain(t(`strategy.advice.${piece}` as Key));
      expect(text).toContain(t(`strategy.verdict.${verdict}` as Key));
      for (const { name, share, command } of evidence) {
        expect(t(`strategy.row.${name}` as Key)).not.toBe(`strategy.row.${name}`);
        const percent = new Intl.NumberFormat(language, { style: "percent", minimumFractionDigits: 1 }).format(
          Math.round(share * 1000) / 1000,
        );
        expect(text).toContain(percent);
        expect(text).toContain(command);
      }
    }
  },
);

test("a chart shows the chances that the server sends, for the rules and dice that are chosen", async () => {
  render(Strategy);
  const chart = await screen.findByRole("img", { name: /^With wild dice\. 8: 96, 80, 53, 26\./ });
  expect(chart.querySelectorAll("rect.even")).toHaveLength(1);
  await userEvent.click(screen.getByRole("button", { name: "Add a die that shows 4" }));
  await vi.waitFor(() =>
    expect(forms.at(-1)).toEqual({ rules: "perudo", changes: {}, hand: [4], face: 4, seat: 0, others: [] }),
  );
  expect(screen.queryByRole("combobox", { name: "Your seat" })).toBeNull();
});

test("where dice differ by seat, the own seat and those of the others still in are chosen", async () => {
  ruleset = { ...RULES, dice: { ...RULES.dice, faces: 12, faces_by_seat: [4, 8] } };
  others = [1, 2];
  render(Strategy);
  const seats = await screen.findByRole("combobox", { name: "Your seat" });
  expect([...seats.querySelectorAll("option")].map(({ textContent }) => textContent)).toEqual([
    "Seat 1: d4",
    "Seat 2: d8",
    "Seat 3: d12",
    "Seat 4: d12",
  ]);
  expect(screen.queryByRole("button", { name: "Add a die that shows 5" })).toBeNull();
  await userEvent.click(screen.getByRole("button", { name: "Seat 4: d12" }));
  await vi.waitFor(() => expect(forms.at(-1)).toMatchObject({ seat: 0, others: [1, 2, 3] }));
  await userEvent.click(screen.getByRole("button", { name: "Seat 2: d8" }));
  await vi.waitFor(() => expect(forms.at(-1)).toMatchObject({ seat: 0, others: [2] }));
  await userEvent.selectOptions(seats, "Seat 3: d12");
  await vi.waitFor(() => expect(forms.at(-1)).toMatchObject({ seat: 2, others: [] }));
  await userEvent.click(screen.getByRole("button", { name: "Add a die that shows 12" }));
  await userEvent.selectOptions(seats, "Seat 1: d4");
  await vi.waitFor(() => expect(forms.at(-1)).toMatchObject({ seat: 0, hand: [] }));
});

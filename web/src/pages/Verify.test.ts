import { render, screen } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { setLanguage } from "../lib/i18n.svelte";
import text from "../replay/signed.fixture.jsonl?raw";
import Verify from "./Verify.svelte";

const { verified } = vi.hoisted(() => ({ verified: { ok: true } }));
vi.mock("../replay/verifyDice", async (original) => ({
  ...(await original<object>()),
  verifyDice: async function* () {
    yield await Promise.resolve({ kind: "round", number: 1, dice: 15, ok: verified.ok });
  },
}));

const unseeded = text.replace(/"seeds":\[[^\]]*\]/, '"seeds":["","",""]');

test.each([
  ["en", text, true, "Every die is as promised"],
  ["en", unseeded, true, "The server alone made the dice"],
  ["en", unseeded, false, "Something does not match"],
  ["es", text, true, "Cada dado es como se prometió"],
  ["es", unseeded, true, "Solo el servidor hizo los dados"],
  ["es", unseeded, false, "Algo no coincide"],
] as const)("in %s the heading says who made the dice", async (language, record, ok, heading) => {
  await setLanguage(language);
  verified.ok = ok;
  vi.stubGlobal("isSecureContext", true);
  const { container } = render(Verify);
  const input = container.querySelector<HTMLInputElement>("input[type=file]");
  if (!input) throw new Error("there is no place for a file");
  await userEvent.upload(input, new File([record], "match.jsonl"));
  const status = await screen.findByRole("heading", { name: heading, level: 2 });
  expect(status.closest("[role=status]")).toBeTruthy();
});

import { expect, test } from "vitest";
import { ApiError, errorText } from "./http";
import { setLanguage, t } from "./i18n.svelte";

const refusal = new ApiError("illegal", "the match is paused");

test("an English reader gets the explanation of the server", () => {
  expect(errorText(refusal)).toBe("That is not possible: the match is paused.");
});

test("a reader of another language gets a translated text, not the English explanation", async () => {
  await setLanguage("es");
  expect(errorText(refusal)).toBe(t("error.illegal"));
  expect(errorText(new ApiError("malformed", "no such face"))).toBe(t("error.malformed"));
  expect(errorText(refusal)).not.toContain("paused");
});

test("an error without an explanation has a text of its own", () => {
  expect(errorText(new ApiError("unavailable", ""))).toBe("That does not exist on this server.");
});

import { expect, test, afterEach, vi, describe } from "vitest";
import { ApiError, errorText } from "./http";
import { setLanguage, t } from "./i18n.svelte";
import { heldSeat } from "./browserState.svelte";

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

describe("held seat", () => {
  const SEAT = { code: "FLEA", title: "The Crooked Spoon" };

  afterEach(() => {
    heldSeat.release("FLEA");
    vi.unstubAllGlobals();
  });

  test("another tab learns of a seat that is taken or left", () => {
    localStorage.setItem("liarsdice.seat", JSON.stringify(SEAT));
    dispatchEvent(new StorageEvent("storage"));
    expect(heldSeat.current).toEqual(SEAT);
    localStorage.setItem("liarsdice.seat", "null");
    dispatchEvent(new StorageEvent("storage"));
    expect(heldSeat.current).toBeNull();
  });

  test("a seat that the server does not know is forgotten, but not because the network fails", async () => {
    heldSeat.hold(SEAT);
    vi.stubGlobal("fetch", () => Promise.reject(new TypeError("offline")));
    await heldSeat.check();
    expect(heldSeat.current).toEqual(SEAT);
    vi.stubGlobal("fetch", () => Promise.resolve(Response.json({ seated: true })));
    await heldSeat.check();
    expect(heldSeat.current).toEqual(SEAT);
    vi.stubGlobal("fetch", () => Promise.resolve(Response.json({ seated: false })));
    await heldSeat.check();
    expect(heldSeat.current).toBeNull();
  });
});

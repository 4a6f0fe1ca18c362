import { afterEach, expect, test, vi } from "vitest";
import { heldSeat } from "./heldSeat.svelte";

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

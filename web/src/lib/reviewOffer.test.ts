import { afterEach, beforeEach, expect, test, vi } from "vitest";

beforeEach(() => {
  vi.resetModules();
});
afterEach(() => {
  vi.unstubAllGlobals();
});

test("a server without reviews is asked once", async () => {
  const fetched = vi.fn(() => Promise.resolve(new Response(JSON.stringify({ offered: false }))));
  vi.stubGlobal("fetch", fetched);
  const { offersReviews } = await import("../review/reviewService");
  expect([await offersReviews(), await offersReviews()]).toEqual([false, false]);
  expect(fetched).toHaveBeenCalledTimes(1);
});

test("without an answer the link stays, and the server is asked again", async () => {
  vi.stubGlobal("fetch", () => Promise.reject(new TypeError("offline")));
  const { offersReviews } = await import("../review/reviewService");
  expect(await offersReviews()).toBe(true);
  vi.stubGlobal("fetch", () => Promise.resolve(new Response(JSON.stringify({ offered: false }))));
  expect(await offersReviews()).toBe(false);
});

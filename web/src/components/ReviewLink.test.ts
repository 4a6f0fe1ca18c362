import { afterEach, expect, test, vi } from "vitest";
import { RULES } from "../testing/tableFrames";

afterEach(() => {
  vi.unstubAllGlobals();
});

test("a match for lives has no link to a review, which the server would refuse", async () => {
  vi.stubGlobal("fetch", () => Promise.resolve(Response.json({ offered: true })));
  vi.resetModules(); // what another file has heard of reviews is forgotten
  const { cleanup, render, screen } = await import("@testing-library/svelte");
  const { createRawSnippet } = await import("svelte");
  const { default: ReviewLink } = await import("./ReviewLink.svelte");
  const children = createRawSnippet(() => ({ render: () => "<span>Review</span>" }));
  render(ReviewLink, { href: "/review?match=lives", rules: { ...RULES, loss: { ...RULES.loss, lives: 3 } }, children });
  render(ReviewLink, { href: "/review?match=dice", rules: RULES, children });
  expect((await screen.findByRole("link", { name: "Review" })).getAttribute("href")).toBe("/review?match=dice");
  cleanup();
});

import { afterEach, expect, test, vi } from "vitest";

afterEach(() => {
  vi.unstubAllGlobals();
});

test.each([true, false])("a review is linked where the server offers some: %s", async (offered) => {
  vi.stubGlobal("fetch", () => Promise.resolve(Response.json({ offered })));
  vi.resetModules(); // what another file has heard of reviews is forgotten
  const { cleanup, render, screen } = await import("@testing-library/svelte");
  const { createRawSnippet, tick } = await import("svelte");
  const { default: ReviewLink } = await import("./ReviewLink.svelte");
  const children = createRawSnippet(() => ({ render: () => "<span>Review</span>" }));
  const { offersReviews } = await import("../review/reviewService");
  render(ReviewLink, { href: "/review?match=lives", children });
  await offersReviews();
  await tick();
  const link = screen.queryByRole("link", { name: "Review" });
  expect(link?.getAttribute("href")).toBe(offered ? "/review?match=lives" : undefined);
  cleanup();
});

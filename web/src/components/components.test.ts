import { expect, test, vi, describe } from "vitest";
import { bubblePlace, type Side } from "./bubblePlace";

const PHONE = { width: 390, height: 844 };
const DESKTOP = { width: 1280, height: 800 };
const BUBBLE = { width: 350, height: 180 };
const VERTICALLY: Side[] = ["above", "below"];
const BESIDE: Side[] = ["beside", "above", "below"];

test("a bubble stands above its target and points at its middle", () => {
  const place = bubblePlace({ left: 200, top: 400, width: 100, height: 50 }, BUBBLE, PHONE, VERTICALLY);
  expect(place).toEqual({ left: 28, top: 190, side: "above", tail: 222 });
});

test("a bubble stands below a target at the upper edge", () => {
  const place = bubblePlace({ left: 100, top: 60, width: 200, height: 40 }, BUBBLE, PHONE, VERTICALLY);
  expect([place.side, place.top]).toEqual(["below", 130]);
});

test("a bubble stands at the first side with room, so that it leaves free what is at the others", () => {
  const count = { left: 120, top: 240, width: 150, height: 155 };
  expect(bubblePlace(count, BUBBLE, PHONE, ["beside", "below", "above"])).toMatchObject({ side: "below", top: 425 });
  const middle = { left: 500, top: 330, width: 200, height: 130 };
  expect(bubblePlace(middle, BUBBLE, DESKTOP, ["beside", "below", "above"])).toMatchObject({
    side: "beside",
    left: 120,
  });
});

test("a bubble without room above or below stays inside the window", () => {
  const place = bubblePlace({ left: 0, top: 150, width: 390, height: 694 }, BUBBLE, PHONE, VERTICALLY);
  expect(place.top).toBe(12);
});

test("a bubble stands beside the panel only where there is room", () => {
  const panel = { left: 924, top: 60, width: 356, height: 740 };
  expect(bubblePlace(panel, BUBBLE, DESKTOP, BESIDE).side).toBe("beside");
  expect(bubblePlace({ ...panel, left: 0, width: 390 }, BUBBLE, PHONE, BESIDE).side).not.toBe("beside");
});

describe("review link", () => {
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
});

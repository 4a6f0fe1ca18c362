/** Where a bubble stands, and when it must be placed anew. */

/** A rectangle in pixels of the window. */
interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}
export type Side = "above" | "below" | "beside";
/** The upper left corner of the bubble, and how far along its edge the tail is. */
export interface Place {
  left: number;
  top: number;
  side: Side;
  tail: number;
}

/** The least distance to the edges of the window. */
const MARGIN = 12;
/** The distance to the target, in which the tail is. */
const GAP = 30;

/** The place of a bubble of this size, at the first of the sides at which there is room. */
export function bubblePlace(
  target: Box,
  bubble: Pick<Box, "width" | "height">,
  view: Pick<Box, "width" | "height">,
  sides: readonly Side[],
): Place {
  const clamp = (value: number, size: number, room: number): number =>
    Math.max(MARGIN, Math.min(room - size - MARGIN, value));
  const middle = target.left + target.width / 2;
  const left = clamp(middle - bubble.width / 2, bubble.width, view.width);
  const tail = Math.max(24, Math.min(bubble.width - 24, middle - left));
  const places: Record<Side, Place> = {
    above: { left, top: target.top - bubble.height - GAP, side: "above", tail },
    below: { left, top: target.top + target.height + GAP, side: "below", tail },
    beside: {
      left: target.left - bubble.width - GAP,
      top: clamp(target.top + target.height / 3, bubble.height, view.height),
      side: "beside",
      tail: 30,
    },
  };
  const fitting = sides
    .map((side) => places[side])
    .find(({ left, top }) => Math.min(left, top) >= MARGIN && top + bubble.height + MARGIN <= view.height);
  return fitting ?? { left, top: MARGIN, side: "above", tail };
}

const EVENTS = ["resize", "scroll", "animationend", "transitionend"] as const;

/** Calls `callback` in the frame after each change, once for all changes before it. Returns a function that ends it. */
export function onLayout(callback: () => void): () => void {
  let frame = 0;
  const changed = (): void => {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(callback);
  };
  const observer = new MutationObserver(changed);
  for (const game of document.querySelectorAll(".game"))
    observer.observe(game, { subtree: true, childList: true, attributes: true, characterData: true });
  for (const type of EVENTS) addEventListener(type, changed, { capture: true, passive: true });
  return () => {
    cancelAnimationFrame(frame);
    observer.disconnect();
    for (const type of EVENTS) removeEventListener(type, changed, { capture: true });
  };
}

/** Where a bubble stands: above or below what it is about, or to the left of it. */

/** A rectangle in pixels of the window. */
export interface Box {
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

/** The place of a bubble of this size. `beside`: to the left of the target instead of above or below it. */
export function bubblePlace(
  target: Box,
  bubble: Pick<Box, "width" | "height">,
  view: Pick<Box, "width" | "height">,
  beside: boolean,
): Place {
  const clamp = (value: number, size: number, room: number): number =>
    Math.max(MARGIN, Math.min(room - size - MARGIN, value));
  if (beside && target.left - bubble.width - GAP >= MARGIN) {
    const top = clamp(target.top + target.height / 3, bubble.height, view.height);
    return { left: target.left - bubble.width - GAP, top, side: "beside", tail: 30 };
  }
  const middle = target.left + target.width / 2;
  const left = clamp(middle - bubble.width / 2, bubble.width, view.width);
  const above = target.top - bubble.height - GAP >= MARGIN;
  const top = above ? target.top - bubble.height - GAP : target.top + target.height + GAP;
  const fits = above || top + bubble.height + MARGIN <= view.height;
  const tail = Math.max(24, Math.min(bubble.width - 24, middle - left));
  return { left, top: fits ? top : MARGIN, side: above || !fits ? "above" : "below", tail };
}

/** Detects a long press with a finger or the mouse. */

const PRESS_MS = 450;
/** A finger that moves farther than this many pixels scrolls or swipes. */
const MAX_MOVE = 12;

/** Calls `callback` after each long press on an element. Returns a function that ends it. */
export function longPress(element: HTMLElement, callback: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let start = { x: 0, y: 0 };

  function onDown({ clientX, clientY, button }: PointerEvent): void {
    if (button !== 0) return;
    start = { x: clientX, y: clientY };
    clearTimeout(timer);
    timer = setTimeout(callback, PRESS_MS);
  }
  function onMove({ clientX, clientY }: PointerEvent): void {
    if (Math.hypot(clientX - start.x, clientY - start.y) > MAX_MOVE) clearTimeout(timer);
  }
  function onEnd(): void {
    clearTimeout(timer);
  }
  /** A touch screen would open its own menu for pictures and text. */
  function onMenu(event: Event): void {
    event.preventDefault();
  }

  element.addEventListener("pointerdown", onDown);
  element.addEventListener("pointermove", onMove);
  for (const type of ["pointerup", "pointercancel", "pointerleave"]) element.addEventListener(type, onEnd);
  element.addEventListener("contextmenu", onMenu);
  return () => {
    clearTimeout(timer);
    element.removeEventListener("pointerdown", onDown);
    element.removeEventListener("pointermove", onMove);
    for (const type of ["pointerup", "pointercancel", "pointerleave"]) element.removeEventListener(type, onEnd);
    element.removeEventListener("contextmenu", onMenu);
  };
}

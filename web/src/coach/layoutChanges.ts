/** Tells when the table may be laid out anew: lazy parts come, the reveal goes on, something moves or is scrolled. */

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

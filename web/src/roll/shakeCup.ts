/** Shakes the cup by the key R or by shaking the phone. */
import { onShake } from "../cup/phone";
import type { RollClock } from "../board/boardState.svelte";

/** Rolls whenever the player asks for it. Returns a function that ends it. */
export function shakeCup(roll: RollClock): () => void {
  function onKeydown({ key, ctrlKey, metaKey, altKey, repeat, target }: KeyboardEvent): void {
    if (ctrlKey || metaKey || altKey || repeat || key.toLowerCase() !== "r") return;
    if (target instanceof Element && target.closest("input, textarea, select, dialog")) return;
    roll.roll();
  }

  addEventListener("keydown", onKeydown);
  const stop = onShake(() => {
    roll.roll();
  });
  return () => {
    removeEventListener("keydown", onKeydown);
    stop();
  };
}

/** Dice of one's own, from the browser's best source of chance. */

/** So many dice with faces 1 to `faces`, all alike likely. */
export function rollDice(count: number, faces = 6): number[] {
  const found: number[] = [];
  const usable = 256 - (256 % faces);
  while (found.length < count) {
    for (const byte of crypto.getRandomValues(new Uint8Array(32))) {
      if (byte < usable && found.length < count) found.push((byte % faces) + 1);
    }
  }
  return found;
}

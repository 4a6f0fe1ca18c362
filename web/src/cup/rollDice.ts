/** Rolls `count` fair dice with faces 1 to `faces`, using the secure random numbers of the browser. */
export function rollDice(count: number, faces = 6): number[] {
  const dice: number[] = [];
  const usable = 256 - (256 % faces);
  while (dice.length < count) {
    for (const byte of crypto.getRandomValues(new Uint8Array(32))) {
      if (byte < usable && dice.length < count) dice.push((byte % faces) + 1);
    }
  }
  return dice;
}

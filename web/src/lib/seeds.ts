/**
 * The seeds that this browser adds to the dice. It commits to a seed by its hash before a match and reveals it when the
 * match has begun. Seeds and the promises of matches are kept in the browser, so that they survive a reload.
 */
import { sha256 } from "./sha256";
import { keep, kept } from "./keptValues";

const SEED_BYTES = 32;

/** Makes and keeps a new seed, and returns the commitment to it. */
export function newCommitment(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(SEED_BYTES));
  const seed = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const commitment = sha256(seed);
  keep("seeds", commitment, seed);
  return commitment;
}

/** The seed of this browser with a commitment, null if it has none. */
export function seedFor(commitment: string): string | null {
  return kept("seeds")[commitment] ?? null;
}

/** Keeps the promise of a match, to compare it after the match. The first one counts. */
export function keepPromise(code: string, number: number, promise: string): void {
  if (promiseOf(code, number) === null) keep("promises", `${code}/${number}`, promise);
}

/** The promise that this browser saw when a match began, null if it did not. */
export function promiseOf(code: string, number: number): string | null {
  return kept("promises")[`${code}/${number}`] ?? null;
}

/** Keeps the commitment that the server confirmed for a match. */
export function keepCommitment(code: string, number: number, commitment: string): void {
  keep("commitments", `${code}/${number}`, commitment);
}

/** The commitment that the server confirmed for a match, null if this browser sent none. */
export function commitmentOf(code: string, number: number): string | null {
  return kept("commitments")[`${code}/${number}`] ?? null;
}

/** Whether the commitments of a match lack the one of this browser, which the server had confirmed. */
export function isLeftOut(code: string, number: number, commitments: readonly string[]): boolean {
  const confirmed = commitmentOf(code, number);
  if (confirmed === null || commitments.includes(confirmed)) return false;
  return !commitments.some((commitment) => commitment !== "" && seedFor(commitment) !== null);
}

/** Keeps that this browser revealed its seed for a match. */
export function keepRevealed(code: string, number: number): void {
  keep("revealed", `${code}/${number}`, "yes");
}

/** Whether this browser revealed its seed for a match. */
export function wasRevealed(code: string, number: number): boolean {
  return `${code}/${number}` in kept("revealed");
}

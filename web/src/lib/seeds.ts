/**
 * The seeds that this browser adds to the dice. It commits to a seed by its hash before a match and reveals it when the
 * match has begun. Seeds and the promises of matches are kept in the browser, so that they survive a reload.
 */
import { keep, kept } from "./storage";

const BLOCK_BYTES = 64;

/** The SHA-256 of a text in UTF-8, in hexadecimal. */
export function sha256(text: string): string {
  const hash = fractions(8, (prime) => Math.sqrt(prime));
  const constants = fractions(64, (prime) => Math.cbrt(prime));
  const words = new Uint32Array(64);
  const message = padded(new TextEncoder().encode(text));
  for (let start = 0; start < message.byteLength; start += BLOCK_BYTES) {
    for (let index = 0; index < 64; index += 1) words[index] = schedule(words, message, start, index);
    const state = Uint32Array.from(hash);
    for (let index = 0; index < 64; index += 1) step(state, at(constants, index) + at(words, index));
    state.forEach((word, index) => (hash[index] = at(hash, index) + word));
  }
  return [...hash].map((word) => word.toString(16).padStart(8, "0")).join("");
}

/** The first 32 bits of the fractional parts of roots of the first primes. */
function fractions(count: number, root: (prime: number) => number): Uint32Array {
  const primes: number[] = [];
  for (let number = 2; primes.length < count; number += 1) {
    if (primes.every((prime) => number % prime !== 0)) primes.push(number);
  }
  return Uint32Array.from(primes, (prime) => (root(prime) % 1) * 2 ** 32);
}

/** The message with a bit 1, zeros and its length in bits, in whole blocks. */
function padded(bytes: Uint8Array): DataView {
  const blocks = Math.ceil((bytes.length + 9) / BLOCK_BYTES);
  const message = new Uint8Array(blocks * BLOCK_BYTES);
  message.set(bytes);
  message[bytes.length] = 0x80;
  const view = new DataView(message.buffer);
  view.setUint32(message.length - 4, bytes.length * 8);
  return view;
}

function schedule(words: Uint32Array, message: DataView, start: number, index: number): number {
  if (index < 16) return message.getUint32(start + index * 4);
  const early = at(words, index - 15);
  const late = at(words, index - 2);
  const mixedEarly = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3);
  const mixedLate = rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10);
  return at(words, index - 16) + mixedEarly + at(words, index - 7) + mixedLate;
}

function step(state: Uint32Array, input: number): void {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  const choice = (e & f) ^ (~e & g);
  const first = h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + choice + input;
  const majority = (a & b) ^ (a & c) ^ (b & c);
  const second = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + majority;
  state.set([first + second, a, b, c, d + first, e, f, g]);
}

function rotate(word: number, count: number): number {
  return (word >>> count) | (word << (32 - count));
}

function at(words: Uint32Array, index: number): number {
  return words[index] ?? 0;
}

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

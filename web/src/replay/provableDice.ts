/** Dice derived from seeds with HMAC-SHA256, as the server does it. Biased bytes are skipped. */
import { sha256 } from "../lib/sha256";
import type { Fairness, MatchRecord, SignedText } from "./matchRecord";

const text = new TextEncoder();
const HMAC = { name: "HMAC", hash: "SHA-256" } as const;

/** What the server publishes when a match begins: the hash of all that is fixed then. */
export function matchPromise({ engine, startLine }: MatchRecord, fairness: Fairness): string {
  const { protocol, code, number, commitment, commitments, key } = fairness;
  return sha256([`liarsdice/${protocol}`, code, number, commitment, key, ...commitments, engine, startLine].join("\n"));
}

/** Whether the server's key signed a record, null if this browser cannot tell. */
export async function isSigned({ signature, text: signed }: SignedText, key: string): Promise<boolean | null> {
  let publicKey;
  try {
    publicKey = await crypto.subtle.importKey("raw", fromHex(key), "Ed25519", false, ["verify"]);
  } catch (error) {
    return error instanceof DOMException && error.name === "NotSupportedError" ? null : false;
  }
  return crypto.subtle.verify("Ed25519", publicKey, fromHex(signature), text.encode(signed));
}

function fromHex(digits: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(digits.match(/[0-9a-f]{2}/g) ?? [], (byte) => parseInt(byte, 16));
}

/** Random numbers that depend only on the seeds of a match and a label. */
export class SeededDice {
  readonly #key: CryptoKey;

  private constructor(key: CryptoKey) {
    this.#key = key;
  }

  /** Derives the key of a match from its seeds and its promise. */
  static async create({ protocol, server_seed, seeds }: Fairness, promise: string): Promise<SeededDice> {
    const message = [`liarsdice/${protocol}`, promise, ...seeds].join("\n");
    const server = await hmacKey(text.encode(server_seed));
    return new SeededDice(await hmacKey(await crypto.subtle.sign("HMAC", server, text.encode(message))));
  }

  /** Draws `count` numbers from 0 to `below` - 1. `below` is at most 256. */
  async draw(label: string, below: number, count: number): Promise<number[]> {
    const numbers: number[] = [];
    const usable = 256 - (256 % below);
    for (let counter = 0; numbers.length < count; counter += 1) {
      const block = await crypto.subtle.sign("HMAC", this.#key, text.encode(`${label}/${counter}`));
      for (const byte of new Uint8Array(block)) if (byte < usable && numbers.length < count) numbers.push(byte % below);
    }
    return numbers;
  }
}

function hmacKey(bytes: BufferSource): Promise<CryptoKey> {
  return crypto.subtle.importKey("raw", bytes, HMAC, false, ["sign"]);
}

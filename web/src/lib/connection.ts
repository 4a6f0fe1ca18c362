/** A page's line to its table: it comes back by itself, and what was asked but not answered is asked again. */
import type { Do, Done, Hello, Presence, Problem, Setting, Update } from "./protocol";

export type Frame = Setting | Update | Presence | Done | Problem;
export type Wish = Do["what"];

/** `refused` and `missing` are for good; otherwise the line is being mended. */
export type Line = "connecting" | "open" | "lost" | "refused" | "missing";

/** What the server means by closing. */
const REFUSED = 4403;
const MISSING = 4404;
const TOO_FAST = 4429;

const FIRST_WAIT_MS = 300;
const LONGEST_WAIT_MS = 5000;
/** A socket that slept in the background for longer than this is not trusted. */
const TRUSTED_MS = 20_000;

interface Listener {
  /** The seq that the page has. */
  have: () => number;
  heard: (frame: Frame) => void;
  line: (line: Line) => void;
}

export class Connection {
  readonly #address: string;
  readonly #listener: Listener;
  readonly #unanswered = new Map<string, Do>();
  #socket: WebSocket | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #failed = 0;
  #hiddenAt: number | null = null;
  #wanted = false;

  constructor(address: string, listener: Listener) {
    this.#address = address;
    this.#listener = listener;
  }

  start(): void {
    this.#wanted = true;
    addEventListener("online", this.#hurry);
    addEventListener("offline", this.#offline);
    document.addEventListener("visibilitychange", this.#looked);
    this.#open();
  }

  stop(): void {
    this.#wanted = false;
    removeEventListener("online", this.#hurry);
    removeEventListener("offline", this.#offline);
    document.removeEventListener("visibilitychange", this.#looked);
    this.#drop();
  }

  /** Connect anew, as who we are now. */
  again(): void {
    this.#drop();
    this.#failed = 0;
    this.#open();
  }

  /** Ask for something; answered by a `done` or a `problem` of this id. */
  ask(what: Wish, mark: number, id: string = crypto.randomUUID()): string {
    const wish: Do = { type: "do", id, what, mark };
    this.#unanswered.set(id, wish);
    this.#send(wish);
    return id;
  }

  #open(): void {
    if (!this.#wanted || this.#socket) return;
    clearTimeout(this.#timer);
    const socket = new WebSocket(this.#address);
    this.#socket = socket;
    if (this.#failed === 0) this.#listener.line("connecting");
    socket.onopen = () => {
      this.#send({ type: "hello", have: this.#listener.have() });
      for (const wish of this.#unanswered.values()) this.#send(wish);
    };
    socket.onmessage = (event: MessageEvent<string>) => {
      if (socket === this.#socket) this.#heard(JSON.parse(event.data) as Frame);
    };
    socket.onclose = (event) => {
      if (socket === this.#socket) this.#closed(event.code);
    };
  }

  #heard(frame: Frame): void {
    if (frame.type === "update" || frame.type === "setting") {
      this.#failed = 0;
      this.#listener.line("open");
    }
    if ((frame.type === "done" || frame.type === "problem") && frame.id) this.#unanswered.delete(frame.id);
    this.#listener.heard(frame);
  }

  #closed(code: number): void {
    this.#socket = null;
    if (code === REFUSED || code === MISSING) {
      this.#unanswered.clear();
      this.#listener.line(code === MISSING ? "missing" : "refused");
      return;
    }
    this.#listener.line("lost");
    const wait = Math.min(FIRST_WAIT_MS * 2 ** this.#failed, LONGEST_WAIT_MS);
    this.#failed += 1;
    this.#timer = setTimeout(
      () => {
        this.#open();
      },
      code === TOO_FAST ? LONGEST_WAIT_MS : wait * (0.75 + Math.random() / 2),
    );
  }

  #send(message: Hello | Do): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  #drop(): void {
    clearTimeout(this.#timer);
    const socket = this.#socket;
    this.#socket = null;
    socket?.close();
  }

  #hurry = (): void => {
    if (this.#socket?.readyState === WebSocket.OPEN) return;
    this.again();
  };

  #offline = (): void => {
    this.#drop();
    this.#listener.line("lost");
  };

  #looked = (): void => {
    if (document.hidden) {
      this.#hiddenAt = Date.now();
      return;
    }
    const slept = this.#hiddenAt !== null && Date.now() - this.#hiddenAt > TRUSTED_MS;
    this.#hiddenAt = null;
    if (slept || this.#socket?.readyState !== WebSocket.OPEN) this.again();
  };
}

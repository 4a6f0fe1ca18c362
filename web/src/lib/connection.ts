/** A page's line to its table: it comes back by itself, and what was asked but not answered is asked again. */
import type { Do, Done, Hello, Presence, Problem, Setting, Update } from "./protocol";

export type Frame = Setting | Update | Presence | Done | Problem;
export type Command = Do["what"];

/** `refused` and `missing` are for good; otherwise the line is being mended. */
export type ConnectionStatus = "connecting" | "open" | "lost" | "refused" | "missing";

/** What the server means by closing. */
const REFUSED = 4403;
const MISSING = 4404;
const TOO_FAST = 4429;

const FIRST_WAIT_MS = 300;
const MAX_WAIT_MS = 5000;
/** A socket that stale in the background for longer than this is not trusted. */
const MAX_HIDDEN_MS = 20_000;

interface ConnectionHandlers {
  /** The seq that the page has. */
  lastSeq: () => number;
  onFrame: (frame: Frame) => void;
  onStatus: (status: ConnectionStatus) => void;
}

export class Connection {
  readonly #address: string;
  readonly #handlers: ConnectionHandlers;
  readonly #pending = new Map<string, Do>();
  #socket: WebSocket | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #failedAttempts = 0;
  #hiddenAt: number | null = null;
  #running = false;

  constructor(address: string, handlers: ConnectionHandlers) {
    this.#address = address;
    this.#handlers = handlers;
  }

  start(): void {
    this.#running = true;
    addEventListener("online", this.#onOnline);
    addEventListener("offline", this.#onOffline);
    document.addEventListener("visibilitychange", this.#onVisibilityChange);
    this.#open();
  }

  stop(): void {
    this.#running = false;
    removeEventListener("online", this.#onOnline);
    removeEventListener("offline", this.#onOffline);
    document.removeEventListener("visibilitychange", this.#onVisibilityChange);
    this.#disconnect();
  }

  /** Connect anew, as who we are now. */
  reconnect(): void {
    this.#disconnect();
    this.#failedAttempts = 0;
    this.#open();
  }

  /** Ask for something; answered by a `done` or a `problem` of this id. */
  request(what: Command, mark: number, id: string = crypto.randomUUID()): string {
    const message: Do = { type: "do", id, what, mark };
    this.#pending.set(id, message);
    this.#send(message);
    return id;
  }

  #open(): void {
    if (!this.#running || this.#socket) return;
    clearTimeout(this.#timer);
    const socket = new WebSocket(this.#address);
    this.#socket = socket;
    if (this.#failedAttempts === 0) this.#handlers.onStatus("connecting");
    socket.onopen = () => {
      this.#send({ type: "hello", have: this.#handlers.lastSeq() });
      for (const message of this.#pending.values()) this.#send(message);
    };
    socket.onmessage = (event: MessageEvent<string>) => {
      if (socket === this.#socket) this.#receive(JSON.parse(event.data) as Frame);
    };
    socket.onclose = (event) => {
      if (socket === this.#socket) this.#onClose(event.code);
    };
  }

  #receive(frame: Frame): void {
    if (frame.type === "update" || frame.type === "setting") {
      this.#failedAttempts = 0;
      this.#handlers.onStatus("open");
    }
    if ((frame.type === "done" || frame.type === "problem") && frame.id) this.#pending.delete(frame.id);
    this.#handlers.onFrame(frame);
  }

  #onClose(code: number): void {
    this.#socket = null;
    if (code === REFUSED || code === MISSING) {
      this.#pending.clear();
      this.#handlers.onStatus(code === MISSING ? "missing" : "refused");
      return;
    }
    this.#handlers.onStatus("lost");
    const wait = Math.min(FIRST_WAIT_MS * 2 ** this.#failedAttempts, MAX_WAIT_MS);
    this.#failedAttempts += 1;
    this.#timer = setTimeout(
      () => {
        this.#open();
      },
      code === TOO_FAST ? MAX_WAIT_MS : wait * (0.75 + Math.random() / 2),
    );
  }

  #send(message: Hello | Do): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  #disconnect(): void {
    clearTimeout(this.#timer);
    const socket = this.#socket;
    this.#socket = null;
    socket?.close();
  }

  #onOnline = (): void => {
    if (this.#socket?.readyState === WebSocket.OPEN) return;
    this.reconnect();
  };

  #onOffline = (): void => {
    this.#disconnect();
    this.#handlers.onStatus("lost");
  };

  #onVisibilityChange = (): void => {
    if (document.hidden) {
      this.#hiddenAt = Date.now();
      return;
    }
    const stale = this.#hiddenAt !== null && Date.now() - this.#hiddenAt > MAX_HIDDEN_MS;
    this.#hiddenAt = null;
    if (stale || this.#socket?.readyState !== WebSocket.OPEN) this.reconnect();
  };
}

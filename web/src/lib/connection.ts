/** The WebSocket to a table. It reconnects by itself and sends unanswered requests again. */
import type { Command, CommandRequest, FromTable, Hello, Look } from "./protocol";

/** `refused` and `missing` are final. After `lost` the connection tries again. */
export type ConnectionStatus = "connecting" | "open" | "lost" | "refused" | "missing";

/** Close codes of the server. */
const REFUSED = 4403;
const MISSING = 4404;
const TOO_FAST = 4429;

const FIRST_WAIT_MS = 300;
const MAX_WAIT_MS = 5000;
/** After this time in the background the socket may be dead, so the page reconnects. */
const MAX_HIDDEN_MS = 20_000;

interface ConnectionHandlers {
  /** The number of the latest update that the page has. */
  lastSeq: () => number;
  onFrame: (frame: FromTable) => void;
  onStatus: (status: ConnectionStatus) => void;
  /** Whether the page only watches, also if this browser holds a seat. */
  spectate?: boolean;
}

/** Keeps one WebSocket open from `start` to `stop`. */
export class Connection {
  readonly #address: string;
  readonly #handlers: ConnectionHandlers;
  readonly #pending = new Map<string, CommandRequest>();
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

  /** Opens a new socket at once, for example after this browser got a seat. */
  reconnect(): void {
    this.#disconnect();
    this.#failedAttempts = 0;
    this.#open();
  }

  /**
   * Sends a command and returns its id. The server answers with a `done` or `problem` message of this id. `turnId` is the
   * `turn_id` of the match that the player saw; the server refuses a command with an old one.
   */
  request(command: Command, turnId: number, id: string = crypto.randomUUID()): string {
    const message: CommandRequest = { type: "do", id, command, turn_id: turnId };
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
      const { lastSeq, spectate } = this.#handlers;
      this.#send({
        type: "hello",
        last_seq: lastSeq(),
        ...(spectate ? { spectate } : {}),
        ...(document.hidden ? { looking: false } : {}),
      });
      for (const message of this.#pending.values()) this.#send(message);
    };
    socket.onmessage = (event: MessageEvent<string>) => {
      if (socket === this.#socket) this.#receive(JSON.parse(event.data) as FromTable);
    };
    socket.onclose = (event) => {
      if (socket === this.#socket) this.#onClose(event.code);
    };
  }

  #receive(frame: FromTable): void {
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
    this.#timer = setTimeout(() => this.#open(), code === TOO_FAST ? MAX_WAIT_MS : wait * (0.75 + Math.random() / 2));
  }

  #send(message: Hello | Look | CommandRequest): void {
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
    this.#send({ type: "look", looking: !document.hidden });
    if (document.hidden) {
      this.#hiddenAt = Date.now();
      return;
    }
    const stale = this.#hiddenAt !== null && Date.now() - this.#hiddenAt > MAX_HIDDEN_MS;
    this.#hiddenAt = null;
    if (stale || this.#socket?.readyState !== WebSocket.OPEN) this.reconnect();
  };
}

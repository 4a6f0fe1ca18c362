/** Table talk: what is said last at each seat, as words or as one of the emotes. */
import type { NewsItem } from "../lib/protocol";

/** How long a bubble stays, and the additional time for each character. */
const SHOWN_MS = 4000;
const READ_MS = 35;

/** A line that a player said. */
export interface Comment {
  player: number;
  text: string;
}
/** Finds what a bot says about a piece of news. `earlier`: the news before it. */
type Commentator = (item: NewsItem, earlier: readonly NewsItem[]) => Comment | null;

/** The latest line of each player, until its bubble disappears. */
export class TableTalk {
  /** Lines by player id. */
  lines: Readonly<Record<number, string>> = $state.raw({});
  /** Called when a bubble appears. */
  onLine: () => void = () => undefined;

  /** Bots are silent without one. */
  commentator: Commentator | null = $state.raw(null);

  readonly #timers: Record<number, ReturnType<typeof setTimeout>> = {};
  readonly #heard = new WeakSet<NewsItem>();
  readonly #comments = new WeakMap<NewsItem, Comment | null>();

  /** Shows the lines that are new. `silent` marks them as heard only, as the first update has old ones. */
  hear(news: readonly NewsItem[], silent: boolean): void {
    for (const item of news) {
      if (this.#heard.has(item)) continue;
      this.#heard.add(item);
      const line = item.content.type === "said" ? item.content : this.commentOn(item, news);
      if (line && !silent) this.#show(line.player, line.text);
    }
  }

  /** What a bot says about a piece of news. It does not change later, as players leave and others come. */
  commentOn(item: NewsItem, news: readonly NewsItem[]): Comment | null {
    if (this.commentator === null) return null;
    let comment = this.#comments.get(item);
    if (comment === undefined) {
      comment = this.commentator(item, news.slice(0, news.indexOf(item)));
      this.#comments.set(item, comment);
    }
    return comment;
  }

  #show(player: number, text: string): void {
    this.lines = { ...this.lines, [player]: text };
    this.onLine();
    clearTimeout(this.#timers[player]);
    this.#timers[player] = setTimeout(
      () => (this.lines = Object.fromEntries(Object.entries(this.lines).filter(([id]) => id !== String(player)))),
      SHOWN_MS + READ_MS * text.length,
    );
  }
}

/** The six emotes. A line of table talk that is one of these characters is shown as a picture. */
export const EMOTES = { laugh: "😂", gasp: "😱", doubt: "🤨", sweat: "😅", cry: "😭", cheers: "🍻" } as const;
export type Emote = keyof typeof EMOTES;
export const EMOTE_NAMES = Object.keys(EMOTES) as Emote[];

/** The emote that a line of table talk is, null if it is an ordinary one. */
export function emoteOf(text: string): Emote | null {
  return EMOTE_NAMES.find((name) => EMOTES[name] === text) ?? null;
}

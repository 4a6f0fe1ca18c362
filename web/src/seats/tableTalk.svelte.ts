/** What players have just said, for the speech bubbles at their seats. */
import type { NewsItem } from "../lib/protocol";

/** How long a bubble stays, and the additional time for each character. */
const SHOWN_MS = 4000;
const READ_MS = 35;

/** The latest line of each player, until its bubble disappears. */
export class TableTalk {
  /** Lines by player id. */
  lines: Readonly<Record<number, string>> = $state.raw({});

  readonly #timers: Record<number, ReturnType<typeof setTimeout>> = {};
  readonly #heard = new WeakSet<NewsItem>();

  /** Shows the lines that are new. `silent` marks them as heard only, as the first update has old ones. */
  hear(news: readonly NewsItem[], silent: boolean): void {
    for (const item of news) {
      if (this.#heard.has(item)) continue;
      this.#heard.add(item);
      if (item.content.type === "said" && !silent) this.#show(item.content.player, item.content.text);
    }
  }

  #show(player: number, text: string): void {
    this.lines = { ...this.lines, [player]: text };
    clearTimeout(this.#timers[player]);
    this.#timers[player] = setTimeout(
      () => {
        this.lines = Object.fromEntries(Object.entries(this.lines).filter(([id]) => id !== String(player)));
      },
      SHOWN_MS + READ_MS * text.length,
    );
  }
}

/** The news that a page may tell while it shows a reveal. The server sends a call together with its outcome. */
import type { NewsItem } from "../lib/protocol";

/** How far the page has shown a reveal: the call, then the count of all hands, then who was right and who loses dice. */
export type RevealStage = "called" | "counted" | "told";

/** How many events of the entry with the call each stage tells: the call itself, and then the count. */
const TOLD_EVENTS = { called: 1, counted: 2, told: Infinity } as const;

/** The news without the events of the latest call that the page has not shown yet. */
export function toldNews(news: readonly NewsItem[], stage: RevealStage): readonly NewsItem[] {
  if (stage === "told") return news;
  const seq = news.findLast(isCall)?.seq;
  const first = news.findIndex((item) => item.seq === seq);
  return news.filter((item, index) => item.seq !== seq || index - first < TOLD_EVENTS[stage]);
}

/** The lives that a seat has lost after an entry of the log, less those that it has won. */
export function livesLostAfter(news: readonly NewsItem[], seq: number, seat: number): number {
  let lost = 0;
  for (const item of news) {
    if (item.seq <= seq || item.content.type !== "happened") continue;
    const { event } = item.content;
    if (event.type === "lives_lost") lost += event.lives * (Number(event.seat === seat) - Number(event.to === seat));
    else if (event.type === "lives_gained" && event.seat === seat) lost -= event.lives;
  }
  return lost;
}

const CALLS: ReadonlySet<string> = new Set(["challenged", "exact_called", "pass_challenged"]);

function isCall({ content }: NewsItem): boolean {
  return content.type === "happened" && CALLS.has(content.event.type);
}

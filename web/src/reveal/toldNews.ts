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

function isCall({ content }: NewsItem): boolean {
  return content.type === "happened" && (content.event.type === "challenged" || content.event.type === "exact_called");
}

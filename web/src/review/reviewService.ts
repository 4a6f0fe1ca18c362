/** The reviews of the server: whether it offers them, and the lines of one as they come. */
import { sendRequest, getJson } from "../lib/http";
import type { ReviewLine, ReviewOffer } from "../lib/protocol";

/** Yields the lines of the review of a record. Throws `ApiError`. */
export async function* requestReview(record: string, signal: AbortSignal): AsyncGenerator<ReviewLine> {
  const response = await sendRequest("/api/reviews", { method: "POST", body: record, signal });
  yield* readLines<ReviewLine>(response);
}

/** Yields the values of a response whose body has one in each line. */
export async function* readLines<T>(response: Response): AsyncGenerator<T> {
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    text += decoder.decode(value, { stream: !done });
    const lines = text.split("\n");
    text = lines.pop() ?? "";
    for (const line of lines) if (line !== "") yield JSON.parse(line) as T;
    if (done) return;
  }
}

let offer: Promise<boolean> | undefined;

/** Whether the server reviews matches. True if it does not answer, and then it is asked again the next time. */
export function offersReviews(): Promise<boolean> {
  offer ??= getJson<ReviewOffer>("/api/reviews").then(
    ({ offered }) => offered,
    () => {
      offer = undefined;
      return true;
    },
  );
  return offer;
}

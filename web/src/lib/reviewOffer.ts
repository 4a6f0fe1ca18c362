/** Whether the server reviews matches: it is asked once. */
import { getJson } from "./http";
import type { ReviewOffer } from "./protocol";

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

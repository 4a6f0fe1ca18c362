/** Groups that meet again: where their pages are, founding one, and opening a table of one. */
import { ApiError, postJson } from "../lib/http";
import { i18n } from "../lib/i18n.svelte";
import { ownFace } from "../lib/player.svelte";
import type { FoundForm, GroupPage, GroupTableForm, GroupView, SeatResponse } from "../lib/protocol";
import { keepCommitment, newCommitment } from "../lib/seeds";
import { keep } from "../lib/storage";

/** The list of the groups that this browser belongs to, or waits to be let into: their names by code. */
export const KNOWN = "groups";

/** The path of a group's page. */
export function groupPath(code: string): string {
  return `/g/${encodeURIComponent(code)}`;
}

/** The address that friends open to ask to be let in. */
export function groupLink(code: string): string {
  return location.origin + groupPath(code);
}

/** The path of the API of a group. */
export function groupApi(code: string): string {
  return `/api/groups/${encodeURIComponent(code)}`;
}

/** Whether the service worker tells this browser when a group meets: then it finds the group in a cache. */
export async function isTold(code: string): Promise<boolean> {
  return "caches" in globalThis && (await (await caches.open(KNOWN)).match(groupPath(code))) !== undefined;
}

/** Has the service worker tell when a group meets, or no more. */
export async function tellMeetings(code: string, wanted: boolean): Promise<void> {
  if (!("caches" in globalThis)) return;
  const groups = await caches.open(KNOWN);
  if (wanted) await groups.put(groupPath(code), new Response(""));
  else await groups.delete(groupPath(code));
}

/** The time zone of this browser. */
export function ownTimezone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** Founds a group and remembers it. Throws `ApiError`. */
export async function foundGroup(form: Pick<FoundForm, "name" | "table" | "person">): Promise<GroupView> {
  const language = i18n.language;
  const own = { ...form, face: ownFace.current, timezone: ownTimezone(), language };
  const { inside } = await postJson<GroupPage>("/api/groups", own);
  if (inside === null) throw new ApiError("try_again", "");
  keep(KNOWN, inside.code, inside.name);
  return inside;
}

/** Opens a table of a group, as last time or by a form. Returns its path. Throws `ApiError`. */
export async function openGroupTable(code: string, form: GroupTableForm = {}): Promise<string> {
  const commitment = newCommitment();
  const seat = await postJson<SeatResponse>(`${groupApi(code)}/tables`, { ...form, commitment });
  keepCommitment(seat.code, 1, commitment);
  return `/t/${encodeURIComponent(seat.code)}`;
}

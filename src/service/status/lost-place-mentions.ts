import type { Entry } from "../../engine/model/entry.ts";
import { ghost, isSameName, nameKey } from "../../engine/model/names.ts";
import type { Reason } from "../../engine/reasons/reason.ts";

/** A lost place in the queue, about which people have to be notified. */
export interface LostPlace {
  /** Unique among the lost places of the pull request. */
  readonly id: string;
  /** The logins of the author and the submitter, without the person who removed it, and without bots: GitHub notifies no bot. */
  readonly people: readonly string[];
}

/**
 * Returns null if the entry still has its place or has merged, or if the only person to notify removed it. Also null if the pull request
 * was closed, because GitHub itself sends notifications then.
 */
export function lostPlaceOf({
  id,
  state,
  stateChangedAt,
  reason,
  author,
  admittedBy,
}: Pick<Entry, "id" | "state" | "stateChangedAt" | "reason" | "author" | "admittedBy">): LostPlace | null {
  if (state !== "failed" && (state !== "cancelled" || reason.code === "PR_CLOSED")) return null;
  const by = remover(reason);
  const concerned = [author, ...(admittedBy.kind === "user" ? [admittedBy.name] : [])];
  const people = new Map(
    concerned
      .filter((login) => !login.endsWith("[bot]") && login !== ghost && !isSameName(login, by))
      .map((login) => [nameKey(login), login]),
  );
  // Nobody is mentioned when a bot's pull request fails, but the new comment notifies reviewers who take part in the conversation.
  if (people.size === 0 && by !== null) return null;
  return { id: `${id}@${stateChangedAt}`, people: [...people.values()] };
}

function remover(reason: Reason): string | null {
  switch (reason.code) {
    case "CANCELLED_BY_USER":
    case "LABEL_REMOVED":
    case "AUTO_MERGE_DISABLED":
      return reason.by;
    default:
      return null;
  }
}

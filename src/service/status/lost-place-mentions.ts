import type { Entry } from "../../engine/model/entry.ts";
import { ghost, isSameName, nameKey } from "../../engine/model/names.ts";
import type { Reason } from "../../engine/reasons/reason.ts";

/** A lost place in the queue, of which people have to be notified. */
export interface LostPlace {
  /** Unique among the lost places of the pull request. */
  readonly id: string;
  /** The logins of its author and submitter, without the one who took it out, and without bots: GitHub notifies no bot. */
  readonly people: readonly string[];
}

/**
 * Returns null if the entry still has its place or has merged, if the only person to notify took it out, or if the pull request was closed,
 * because GitHub itself notifies people of that.
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
  // A bot's pull request that failed mentions nobody, but a new comment notifies reviewers who take part in the conversation.
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

import type { Entry } from "../../engine/model/entry.ts";
import { isSameName, nameKey } from "../../engine/model/names.ts";
import type { Reason } from "../../engine/reasons/reason.ts";

/** A place in the queue that was lost, of which people have to hear. */
export interface LostPlace {
  /** Names it among the places that the pull request has lost. */
  readonly id: string;
  /** The logins of its author and submitter, without the one who took it out, and without bots: GitHub notifies no bot. */
  readonly people: readonly string[];
}

/**
 * Null: the entry has its place still, has merged, or was taken out by the only person who would have to hear of it. GitHub itself
 * notifies people of a pull request that was closed.
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
      .filter((login) => !login.endsWith("[bot]") && !isSameName(login, by))
      .map((login) => [nameKey(login), login]),
  );
  // The pull request of a bot, which failed: reviewers who take part in the conversation hear of it.
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

import type { Reason, SubmissionReason } from "../reasons/reason.ts";

/** The author of an action: a person on the code host, an API token, or the queue itself. */
export interface Actor {
  readonly kind: "user" | "token" | "system";
  /** A login, a token's name, or `trainyard`. */
  readonly name: string;
  /** For a user: the permission on the repository that was read when the command was accepted. */
  readonly permission?: string;
  /** The reason that the actor gave. */
  readonly reason?: string;
}

/** The actor as text for people. */
export function renderActor({ kind, name }: Pick<Actor, "kind" | "name">): string {
  return kind === "user" ? `@${name}` : name;
}

/** How a command was given. */
export type Channel = "comment" | "label" | "auto_merge" | "check" | "dashboard" | "api" | "action";

/** Whether a person gave a command on the code host. Clients with a token, and our pages, name the head that they mean. */
export function isGivenByPerson(via: Channel): boolean {
  return via !== "api" && via !== "action" && via !== "dashboard";
}

export const theQueue: Actor = { kind: "system", name: "trainyard" };

export function submissionReason(actor: Actor, via: Channel): SubmissionReason {
  const codes = {
    comment: "SUBMITTED_BY_USER",
    label: "SUBMITTED_BY_LABEL",
    auto_merge: "SUBMITTED_BY_AUTO_MERGE",
    check: "SUBMITTED_BY_CHECK",
    dashboard: "SUBMITTED_BY_USER",
    api: "SUBMITTED_BY_API",
    action: "SUBMITTED_BY_ACTION",
  } as const;
  return { code: codes[via], by: actor.name };
}

export function cancellationReason(actor: Actor, via: Channel): Reason {
  const codes = {
    comment: "CANCELLED_BY_USER",
    label: "LABEL_REMOVED",
    auto_merge: "AUTO_MERGE_DISABLED",
    check: "CANCELLED_BY_USER",
    dashboard: actor.kind === "token" ? "CANCELLED_BY_API" : "CANCELLED_BY_USER",
    api: "CANCELLED_BY_API",
    action: "CANCELLED_BY_API",
  } as const;
  return { code: codes[via], by: actor.name };
}

/** Who did something: a person on the code host, an API token, or the queue itself. */
export interface Actor {
  readonly kind: "user" | "token" | "system";
  /** A login, a token's name, or `trainyard`. */
  readonly name: string;
  /** For a user: the permission on the repository that was read when the command was accepted. */
  readonly permission?: string;
  /** The reason that they gave. */
  readonly reason?: string;
}

/** Who, as people read it. */
export function renderActor({ kind, name }: Pick<Actor, "kind" | "name">): string {
  return kind === "user" ? `@${name}` : name;
}

/** How a command was given. */
export type Channel = "comment" | "label" | "auto_merge" | "check" | "api" | "action";

/** Whether a person gave a command on the code host. A token says for itself what it submits. */
export function isGivenByPerson(via: Channel): boolean {
  return via !== "api" && via !== "action";
}

export const theQueue: Actor = { kind: "system", name: "trainyard" };

import type { Verb } from "../command/parse-command.ts";
import type { RepositoryPermission } from "../ports/code-host.ts";

const ranks: Readonly<Record<RepositoryPermission, number>> = { none: 0, read: 1, write: 2, admin: 3 };

/** What a command needs. */
const needed: Readonly<Record<Verb, Exclude<RepositoryPermission, "none">>> = {
  merge: "write",
  cancel: "write",
  restart: "write",
  status: "read",
  help: "read",
  pause: "admin",
  resume: "admin",
  drain: "admin",
};

/**
 * Why somebody may not give a command, and who may; null when they may. The permission is read afresh:
 * `author_association`, which the payload offers, is computed without a viewer and shows private members as strangers.
 */
export function refusalOf(verb: Verb, login: string, permission: RepositoryPermission): string | null {
  const needs = needed[verb];
  if (ranks[permission] >= ranks[needs]) return null;
  const doing = needs === "admin" ? "changing the queue's state" : needs === "write" ? "queueing" : "asking";
  return `@${login} has \`${permission}\` permission on this repository, and ${doing} needs \`${needs}\`. Ask somebody who has it to give the command.`;
}

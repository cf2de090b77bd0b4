import type { InstalledRepository, RepositoryPermission } from "../ports/code-host.ts";
import type { BotParts } from "./parts.ts";

export type Authorization =
  | { readonly allowed: true; readonly permission: RepositoryPermission }
  | { readonly allowed: false; readonly why: string };

/**
 * Who may command: somebody with write permission on the repository, read afresh. `author_association`, which the payload
 * offers, is computed without a viewer and shows private members as strangers.
 */
export async function authorize(
  { permissionOf }: BotParts,
  repo: InstalledRepository,
  login: string,
): Promise<Authorization> {
  const permission = await permissionOf(repo, login);
  if (permission === "write" || permission === "admin") return { allowed: true, permission };
  const why = `@${login} has \`${permission}\` permission on this repository, and queueing needs \`write\`. Ask somebody who has it to give the command.`;
  return { allowed: false, why };
}

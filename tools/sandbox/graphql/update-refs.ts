import { type Caller, writerOf } from "../auth/caller.ts";
import { isSha, ZERO_SHA } from "../git/git-object.ts";
import { readOnly } from "../rest/refusal.ts";
import { grants } from "../world/app-permissions.ts";
import { hasRole } from "../world/permission.ts";
import { refusalMessage } from "../world/ref-refusal.ts";
import type { Repository } from "../world/repository.ts";
import type { World } from "../world/world.ts";
import { type RefWrite, writeRefs } from "../world/write-ref.ts";
import { GraphqlRefusal } from "./graphql-refusal.ts";

export interface UpdateRefsInput {
  clientMutationId?: string;
  repositoryId: string;
  refUpdates: readonly { name: string; afterOid: string; beforeOid?: string; force?: boolean }[];
}

/**
 * Updates several refs, all or none.
 * https://docs.github.com/en/graphql/reference/mutations#updaterefs
 */
export async function updateRefs(
  world: World,
  caller: Caller,
  repository: Repository,
  { clientMutationId, refUpdates }: UpdateRefsInput,
) {
  const isAllowed =
    caller.kind === "installation"
      ? grants(caller.permissions, "contents", "write")
      : caller.kind === "user" && hasRole(world.roleIn(repository, caller.account), "write");
  if (!isAllowed) throw new GraphqlRefusal("FORBIDDEN", "Resource not accessible by integration");
  if (repository.archived) throw new GraphqlRefusal("FORBIDDEN", readOnly().message);
  const writer = writerOf(world, caller, repository);
  const writes: RefWrite[] = [];
  for (const update of refUpdates) writes.push({ ...(await plan(repository, update)), writer });
  const result = await writeRefs(world, repository, writes);
  if (result.outcome === "refused") throw unprocessable(refusalMessage(result.refusal));
  if (result.outcome === "obstructed") throw unprocessable("Reference update failed");
  if (result.outcome === "stale") throw unprocessable("Reference has changed meanwhile. Please retry.");
  return { clientMutationId: clientMutationId ?? null };
}

async function plan(
  repository: Repository,
  { name, afterOid, beforeOid, force }: UpdateRefsInput["refUpdates"][number],
): Promise<Omit<RefWrite, "writer">> {
  if (!/^refs\/(heads|tags)\/./.test(name)) throw unprocessable(`${name} is not a valid ref name.`);
  const before = repository.git.refs.get(name);
  if (beforeOid !== undefined && beforeOid !== (before ?? ZERO_SHA)) {
    throw unprocessable(`Expected ${name} to be at ${beforeOid}, but it is at ${before ?? ZERO_SHA}.`);
  }
  if (afterOid === ZERO_SHA) {
    if (before === null) throw unprocessable(`${name} does not exist.`);
    return { ref: name, before, after: null };
  }
  if (!isSha(afterOid) || (await repository.git.commit(afterOid)) === null) {
    throw unprocessable(`${afterOid} is not a commit.`);
  }
  const isForced = before !== null && !(await repository.git.graph.contains(afterOid, before));
  if (isForced && force !== true) throw unprocessable(`${name} cannot be fast-forwarded to ${afterOid}.`);
  return { ref: name, before, after: afterOid };
}

const unprocessable = (message: string) => new GraphqlRefusal("UNPROCESSABLE", message);

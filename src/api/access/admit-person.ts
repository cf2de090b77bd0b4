import { nameKey } from "../../engine/model/names.ts";
import type { RepositoryRef } from "../../engine/model/queue.ts";
import type { RepositoryPermission } from "../../ports/code-host/code-host.ts";
import type { Principal } from "../../service/access/tokens.ts";
import { isAtLeast } from "../../service/observation/repository-roles.ts";
import { answeringOutages, readInTime } from "../../service/queues/answering-outages.ts";
import { accepted } from "../../service/runtime/outcome.ts";
import type { TokenScope } from "../../store/access/token-store.ts";
import type { ApiServices } from "../api-plugin.ts";
import type { ParsedBody } from "../bodies/parse-json.ts";
import { type Problem, refusalProblem } from "../problems/problem.ts";

interface AdmittedPerson {
  readonly principal: Principal;
  /** Why the request is refused; null = it is not. */
  readonly problem: Problem | null;
}

/** What an endpoint says about the requests that it serves. */
interface Described {
  readonly scope: TokenScope;
  readonly kind: "command" | "question";
  readonly needsNoQueue?: true;
}

/**
 * Gives a person access to the repository that their request names, if their role on the code host permits the request. Without a role,
 * the principal can access nothing, so the endpoint answers as if the repository did not exist. Before a change, the role is read again,
 * but only of those who might have the right: nobody else may use up the rate limit of the code host.
 */
export async function admitPerson(
  { roles, queues }: Pick<ApiServices, "roles" | "queues">,
  { scope, kind, needsNoQueue }: Described,
  stranger: Principal,
  parsed: ParsedBody<unknown>,
): Promise<AdmittedPerson> {
  if (!parsed.ok) return { principal: stranger, problem: parsed.problem };
  const { repo, targetBranch = "" } = parsed.body as { repo?: RepositoryRef; targetBranch?: string };
  // What is about no repository is read by everybody, as far as the endpoint shows it to them.
  if (repo === undefined) return { principal: stranger, problem: scope === "read" ? null : unnamed(scope) };
  const person = { id: Number(stranger.id), login: stranger.name };
  const neededToChange = async (): Promise<RepositoryPermission | null> =>
    scope === "submit" ? queues.permissionToSubmit({ repo, branch: targetBranch }) : "admin";
  const read = await answeringOutages(() =>
    readInTime(async () => {
      const known = await roles.roleOf(person, repo);
      const isHidden = known === "none" && !needsNoQueue;
      const needed = scope === "read" || isHidden ? "read" : await neededToChange();
      // Without access, the endpoint answers that there is no such queue.
      if (needed === null) return accepted({ needed: "admin" as const, role: "none" as const });
      const isLast = kind === "question" || !isAtLeast(known, needed);
      const role = isLast ? known : await roles.roleOf(person, repo, true);
      const isFirst = role === "none" && needsNoQueue;
      return accepted({ needed, role: isFirst ? await roles.roleForFirstQueue(person, repo) : role });
    }),
  );
  if (!read.ok) return { principal: stranger, problem: refusalProblem(read.refusal) };
  const { role, needed } = read.value;
  if (role === "none") return { principal: stranger, problem: null };
  const { owner, name } = repo;
  const reach = { organisation: nameKey(owner), repository: nameKey(`${owner}/${name}`) };
  if (isAtLeast(role, needed))
    return { principal: { ...stranger, ...reach, scopes: [scope] }, problem: null };
  const detail = `This needs the permission ${needed} on ${owner}/${name}, and ${stranger.name} has ${role} there, as GitHub says. Nothing was done.`;
  return { principal: { ...stranger, ...reach }, problem: { code: "PERMISSION_TOO_LOW", detail } };
}

function unnamed(scope: TokenScope): Problem {
  const detail = `Without a repository, this is about a whole organisation, and needs an API token with the scope ${scope}. Name a repository that you administer in repo (--repo OWNER/NAME).`;
  return { code: "API_TOKEN_NEEDED", detail };
}

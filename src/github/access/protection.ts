import type { Octokit } from "@octokit/rest";
import { branchOfOwnCheck, type RequiredCheck } from "../../engine/model/checks/required-checks.ts";
import { nameKey } from "../../engine/model/names.ts";
import type { RequiredFact } from "../../ports/code-host/doctor-facts.ts";
import { messageOf, statusOf } from "../client/code-host-error.ts";
import type { RepositoryApi } from "../client/repository-api.ts";
import { currentBranchName } from "../test-commits/branches.ts";

const freshMs = 60_000;

/** The required checks of branches, read at most once a minute per branch, and before merges. */
export class ProtectionReader {
  readonly #known = new Map<string, { at: number; checks: Promise<readonly RequiredCheck[]> }>();
  /** The last reading of each branch, regardless of its age. */
  readonly #last = new Map<string, readonly RequiredCheck[]>();

  requiredChecks(api: RepositoryApi, branch: string, fresh = false): Promise<readonly RequiredCheck[]> {
    const key = `${nameKey(`${api.at.owner}/${api.at.repo}`)}:${branch}`;
    const known = this.#known.get(key);
    if (!fresh && known && performance.now() - known.at < freshMs) return known.checks;
    const checks = this.#read(api, branch, key);
    this.#known.set(key, { at: performance.now(), checks });
    checks.catch(() => this.#known.delete(key));
    return checks;
  }

  /** If a branch requires less than before, a second reading has to confirm it. */
  async #read(api: RepositoryApi, branch: string, key: string) {
    const { others: checks } = await readRequiredChecks(api, branch);
    const isLess = (this.#last.get(key) ?? []).some((before) => !includes(checks, before));
    const confirmed = isLess ? union(checks, (await readRequiredChecks(api, branch)).others) : checks;
    this.#last.set(key, confirmed);
    return confirmed;
  }
}

function includes(checks: readonly RequiredCheck[], { name, appId }: RequiredCheck): boolean {
  return checks.some((check) => check.name === name && check.appId === appId);
}

function union(checks: readonly RequiredCheck[], others: readonly RequiredCheck[]): RequiredCheck[] {
  return [...checks, ...others.filter((other) => !includes(checks, other))];
}

/**
 * The union of the checks that the branch's protection requires and those of the rulesets that apply to it. `GET
 * …/branches/{branch}` shows the required checks to everybody who may read contents; the full protection would need administration
 * rights. If the plan has no rulesets, only the protection counts.
 */
export async function readRequiredChecks(api: RepositoryApi, branch: string): Promise<RequiredFact> {
  const [protection, rules] = await Promise.all([
    api.octokit.rest.repos.getBranch({ ...api.at, branch }),
    readBranchRules(api, branch),
  ]);
  const ofProtection = namedChecks(protection.data.protection.required_status_checks);
  const ofRules = (rules ?? []).flatMap((rule) =>
    rule.type === "required_status_checks" ? (rule.parameters?.required_status_checks ?? []) : [],
  );
  const all = union(
    union([], ofProtection),
    ofRules.map(({ context, integration_id: id }) => ({ name: context, appId: id ?? null })),
  );
  const areOwn = await Promise.all(all.map(({ name }) => isOwn(api, branch, name)));
  return { own: all.filter((_, index) => areOwn[index]), others: all.filter((_, index) => !areOwn[index]) };
}

/** GitHub does not change the names of required checks when a branch is renamed, so rules may name our check by a former name of it. */
async function isOwn(api: RepositoryApi, branch: string, check: string): Promise<boolean> {
  const named = branchOfOwnCheck(check);
  if (named === null || named === branch) return named !== null;
  return (await currentBranchName(api, named)) === branch;
}

interface BranchChecks {
  readonly contexts?: readonly string[];
  readonly checks?: readonly { readonly context: string; readonly app_id: number | null }[];
}

/** The checks that branch protection requires: those bound to Apps, and names that any App may report. */
export function namedChecks(required: BranchChecks | undefined): RequiredCheck[] {
  const bound = required?.checks ?? [];
  return [
    ...bound.map(({ context, app_id: id }) => ({ name: context, appId: id !== null && id > 0 ? id : null })),
    ...(required?.contexts ?? [])
      .filter((context) => !bound.some((check) => check.context === context))
      .map((name) => ({ name, appId: null })),
  ];
}

export type BranchRule = Awaited<ReturnType<Octokit["rest"]["repos"]["getBranchRules"]>>["data"][number];

/**
 * The rules of every ruleset that is enforced on a branch, all pages of them; null when the repository's plan has no rulesets.
 * The branch need not exist.
 */
export async function readBranchRules(
  { octokit, at }: RepositoryApi,
  branch: string,
): Promise<BranchRule[] | null> {
  try {
    return await octokit.paginate(octokit.rest.repos.getBranchRules, { ...at, branch, per_page: 100 });
  } catch (error) {
    // "Upgrade to GitHub Pro or make this repository public to enable this feature."
    if (statusOf(error) === 403 && /\bupgrade to github\b/i.test(messageOf(error))) return null;
    throw error;
  }
}

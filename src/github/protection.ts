import type { Octokit } from "@octokit/rest";
import type { RequiredCheck } from "../engine/required-checks.ts";
import type { Repository } from "./branches.ts";

const freshMs = 60_000;

/** What branches require, read at most once a minute per branch. */
export class ProtectionReader {
  readonly #known = new Map<string, { at: number; checks: Promise<readonly RequiredCheck[]> }>();

  requiredChecks(octokit: Octokit, at: Repository, branch: string): Promise<readonly RequiredCheck[]> {
    const key = `${at.owner}/${at.repo}:${branch}`.toLowerCase();
    const known = this.#known.get(key);
    if (known && Date.now() - known.at < freshMs) return known.checks;
    const checks = readRequiredChecks(octokit, at, branch);
    this.#known.set(key, { at: Date.now(), checks });
    checks.catch(() => this.#known.delete(key));
    return checks;
  }
}

/**
 * The union of the branch's protection and of the rulesets that apply to it. `GET …/branches/{branch}` shows the required
 * checks to everybody who may read contents; the full protection would need administration rights.
 */
async function readRequiredChecks(
  octokit: Octokit,
  at: Repository,
  branch: string,
): Promise<RequiredCheck[]> {
  const [protection, rules] = await Promise.all([
    octokit.rest.repos.getBranch({ ...at, branch }),
    octokit.rest.repos.getBranchRules({ ...at, branch }),
  ]);
  const checks = new Map<string, RequiredCheck>();
  const add = (name: string, appId: number | null) => checks.set(`${name}/${appId}`, { name, appId });
  const required = protection.data.protection.required_status_checks;
  const bound: readonly { context: string; app_id: number | null }[] = required?.checks ?? [];
  for (const { context, app_id } of bound) add(context, app_id !== null && app_id > 0 ? app_id : null);
  for (const context of required?.contexts ?? []) {
    if (!bound.some((check) => check.context === context)) add(context, null);
  }
  for (const rule of rules.data) {
    if (rule.type !== "required_status_checks") continue;
    for (const check of rule.parameters?.required_status_checks ?? [])
      add(check.context, check.integration_id ?? null);
  }
  return [...checks.values()];
}

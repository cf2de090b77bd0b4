import { isTree } from "../git/git-object.ts";
import type { GitRepository } from "../git/git-repository.ts";
import { entriesBelow, entryAt } from "../git/tree-files.ts";
import { type CheckSuite, latestRuns } from "../world/checks/check.ts";
import type { Repository } from "../world/repository.ts";

/** A file below `facts/`. Its content decides CI's verdict, so the truth about every tree is known. */
interface FactFile {
  path: string;
  content: string;
}

export interface Verdict {
  conclusion: "success" | "failure";
  /** The causes of the failure, one line each; empty for success. */
  reasons: string[];
}

interface Facts {
  sets: string[];
  forbids: string[];
  broken: boolean;
  flaky: number;
}

const isNames = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((name) => typeof name === "string");

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

/** The number of test runs on test branches that a file makes fail although it is good. */
const flakyRuns = ({ content }: FactFile): number => parseFacts(content)?.flaky ?? 0;

function parseFacts(content: string): Facts | null {
  let parsed: unknown;
  try {
    parsed = JSON.parse(content);
  } catch {
    return null;
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) return null;
  const { sets = [], forbids = [], broken = false, flaky = 0 } = parsed as Record<string, unknown>;
  const isValid = isNames(sets) && isNames(forbids) && typeof broken === "boolean" && isCount(flaky);
  return isValid ? { sets, forbids, broken, flaky } : null;
}

const verdict = (reasons: string[]): Verdict => ({
  conclusion: reasons.length === 0 ? "success" : "failure",
  reasons,
});

/**
 * Judges a tree by its fact files, `{"sets": ["x"], "forbids": ["y"], "broken": false, "flaky": 0}`, every key optional. The
 * check `build` fails if a file is malformed or is marked as broken. Every other check fails if a file sets a name that it or
 * another file forbids. Two changes can therefore be good alone and fail together without a textual conflict. `flaky` does not
 * affect this verdict; see `flakes.ts`.
 */
export function judgeFacts(files: readonly FactFile[], checks: readonly string[]): Map<string, Verdict> {
  const buildFailures: string[] = [];
  const setBy = new Map<string, string>();
  const forbiddenBy: [name: string, path: string][] = [];
  for (const { path, content } of files) {
    const facts = parseFacts(content);
    if (facts === null) {
      buildFailures.push(`${path} is malformed`);
      continue;
    }
    if (facts.broken) buildFailures.push(`${path} is broken`);
    for (const name of facts.sets) if (!setBy.has(name)) setBy.set(name, path);
    for (const name of facts.forbids) forbiddenBy.push([name, path]);
  }
  const contradictions = forbiddenBy.flatMap(([name, path]) => {
    const setter = setBy.get(name);
    return setter === undefined ? [] : [`${setter} sets "${name}", which ${path} forbids`];
  });
  return new Map(checks.map((check) => [check, verdict(check === "build" ? buildFailures : contradictions)]));
}

/** The JSON files below `facts/` in a tree. */
export async function readFacts(git: GitRepository, tree: string): Promise<FactFile[]> {
  const directory = await entryAt(git, tree, "facts");
  if (directory === null || !isTree(directory)) return [];
  const entries = await entriesBelow(git, directory.sha, "facts/");
  const files = entries.filter(({ path, entry }) => !isTree(entry) && path.endsWith(".json"));
  return Promise.all(
    files.map(async ({ path, entry }) => {
      const blob = await git.readObject(entry.sha);
      return { path, content: blob?.content.toString("utf8") ?? "" };
    }),
  );
}

/** Returns the truth about a tree: the verdicts that CI reports for it, apart from flakes. */
export async function judgeTree(
  git: GitRepository,
  tree: string,
  checks: readonly string[],
): Promise<Map<string, Verdict>> {
  return judgeFacts(await readFacts(git, tree), checks);
}

/**
 * Flakes that are planned in advance. A fact file with `"flaky": 2` makes two test runs fail on test branches whose tree contains
 * it, although the tree is good. Later runs pass.
 */
export class Flakes {
  readonly #failed = new WeakMap<Repository, Map<string, number>>();

  /**
   * Returns the check that fails in this run although its tree is good, and counts the failure. Null when the truth has a
   * failure, or when no flake is due.
   */
  strike(
    repository: Repository,
    files: readonly FactFile[],
    truth: ReadonlyMap<string, Verdict>,
  ): { check: string; reason: string } | null {
    const check = [...truth.keys()].find((name) => name !== "build");
    if (check === undefined || [...truth.values()].some(({ conclusion }) => conclusion === "failure"))
      return null;
    const failed = this.#failed.get(repository) ?? new Map<string, number>();
    this.#failed.set(repository, failed);
    for (const file of files) {
      const before = failed.get(file.path) ?? 0;
      if (before >= flakyRuns(file)) continue;
      failed.set(file.path, before + 1);
      return { check, reason: `${file.path} is flaky: the tree is good` };
    }
    return null;
  }
}

/** Returns the trees that CI found green: in its latest run, every workflow that a push to a branch started has passed. */
export async function greenTrees(repository: Repository): Promise<ReadonlySet<string>> {
  const runs = [...repository.workflowRuns.values()].filter(({ event }) => event === "push");
  const pushes = Map.groupBy(runs, ({ suite }) => `${suite.headSha} ${suite.headBranch}`);
  const green = new Set<string>();
  for (const started of pushes.values()) {
    const latest = new Map(started.map((run) => [run.workflow.id, run]));
    if (![...latest.values()].every(({ suite }) => hasPassed(suite))) continue;
    const commit = await repository.git.commit(started[0]?.suite.headSha ?? "");
    if (commit !== null) green.add(commit.tree);
  }
  return green;
}

function hasPassed(suite: CheckSuite): boolean {
  const conclusions = latestRuns(suite).map(({ conclusion }) => conclusion);
  return (
    conclusions.includes("success") &&
    conclusions.every((conclusion) => conclusion === "success" || conclusion === "skipped")
  );
}

import type { RulesetOptions } from "../../tools/sandbox/world/rules/ruleset.ts";
import { Author } from "./author.ts";
import { deliver } from "./deliver.ts";
import { eventually } from "./eventually.ts";
import { Gate } from "./gate.ts";
import type { Stage } from "./stage.ts";

const file = ".github/trainyard.yml";
const named = (checks: readonly string[]) => `requiredStatuses: [${checks.join(", ")}]\n`;

/** A repository with a queue, whose required checks change while pull requests are tested. */
export interface Row {
  readonly source: "setting" | "file" | "protection" | "ruleset";
  readonly method: "merge_commit" | "squash" | "rebase";
  readonly policy: "adaptive" | "fixed";
  /** Whether the App bypasses the protection or the ruleset. */
  readonly bypass: boolean;
  /** When they change: while the tests run, or after they have passed, while the queue is paused. */
  readonly when: "running" | "passed";
}

export class Repository {
  readonly build = new Gate();
  readonly test = new Gate();
  readonly #stage: Stage;
  readonly #row: Row;
  readonly at: { readonly owner: string; readonly repo: string };
  readonly queue: Stage["queue"];

  private constructor(stage: Stage, row: Row, name: string) {
    this.#stage = stage;
    this.#row = row;
    this.at = { owner: "acme", repo: name };
    this.queue = { ...stage.queue, repo: { ...stage.queue.repo, name } };
  }

  static async open(stage: Stage, row: Row, name: string, required: readonly string[]): Promise<Repository> {
    const repository = new Repository(stage, row, name);
    const { source, method: mergeMethod, policy } = row;
    await stage.sandbox.createRepository({
      ...{ owner: "acme", name },
      files: { "README.md": "#\n", ...(source === "file" ? { [file]: named(required) } : {}) },
      ci: {
        durationMs: [20, 40],
        lastStep: (job) => (job.job === "test" ? repository.test : repository.build).lastStep(job),
      },
    });
    repository.#protect(required);
    const requiredStatuses = source === "setting" ? { requiredStatuses: [...required] } : {};
    await stage.client.createQueue({ ...repository.queue, mergeMethod, policy, ...requiredStatuses });
    return repository;
  }

  /** Lets all jobs of CI end. */
  close(): void {
    this.build.open();
    this.test.open();
  }

  #protect(required: readonly string[]): void {
    const name = `acme/${this.at.repo}`;
    const { source, bypass } = this.#row;
    const { slug } = this.#stage.sandbox.app;
    if (source === "protection") {
      const bypassing = bypass ? [slug] : [];
      this.#stage.sandbox.setProtection(name, "main", { requiredChecks: [...required], bypass: bypassing });
    }
    if (source !== "ruleset") return;
    const rule: RulesetOptions = {
      rules: [
        { type: "required_status_checks", required_status_checks: required.map((context) => ({ context })) },
      ],
      bypass: bypass ? [{ actor: slug, mode: "exempt" }] : [],
    };
    this.#stage.sandbox.setRulesets(name, [rule]);
  }

  async require(required: readonly string[]): Promise<void> {
    this.#protect(required);
    if (this.#row.source === "setting")
      await this.#stage.client.updateQueue({ ...this.queue, requiredStatuses: [...required] });
    if (this.#row.source !== "file") return;
    const change = { files: { [file]: named(required) }, message: "Require other checks" };
    await new Author(this.#stage.octokit("admin"), "admin", this.at).addCommit("main", change);
  }

  /** Opens a pull request, and queues it once CI has finished on its head. */
  async submit(name: string, files: Readonly<Record<string, string>>): Promise<number> {
    const alice = this.#stage.octokit("alice");
    const message = `Add ${name}`;
    await new Author(alice, "alice", this.at).createBranch(name, "main", { files, message });
    const { data } = await alice.rest.pulls.create({ ...this.at, base: "main", head: name, title: message });
    const sha = data.head.sha;
    await eventually(async () => {
      const { data: checks } = await alice.rest.checks.listForRef({ ...this.at, ref: sha });
      const passed = checks.check_runs.filter(({ conclusion }) => conclusion === "success");
      return passed.length >= 2 ? true : null;
    }, "the checks on the head");
    await this.#stage.sandbox.reportStatus(`acme/${this.at.repo}`, {
      sha,
      context: "lint",
      state: "success",
    });
    await this.#stage.client.submitPullRequest({ ...this.queue, pr: { number: data.number } });
    return data.number;
  }

  #look(pr: number) {
    return this.#stage.client.getSubmittedPullRequest({ ...this.queue, pr: { number: pr } });
  }

  async until(pr: number, state: string): Promise<void> {
    await eventually(async () => {
      const entry = await this.#look(pr);
      if (entry.state !== state && ["merged", "failed", "cancelled"].includes(entry.state))
        throw new Error(`it is ${entry.state} (${entry.reason}) instead of ${state}`);
      return entry.state === state ? true : null;
    }, `#${pr} of ${this.at.repo} to be ${state}`);
  }

  /** Waits until it is said that this check is waited for. */
  async waitsFor(pr: number, check: string): Promise<void> {
    await eventually(async () => {
      const { state, reason, why } = await this.#look(pr);
      if (["merged", "failed", "cancelled"].includes(state)) throw new Error(`it is ${state} (${reason})`);
      return why.some(({ text }) => text.startsWith(`waiting for ${check}`)) ? true : null;
    }, `#${pr} of ${this.at.repo} to wait for ${check}`);
  }

  async setStatus(status: "paused" | "running"): Promise<void> {
    await this.#stage.client.updateQueue({ ...this.queue, state: status });
  }
}

/** What requires checks. Only rules can bind the App. */
const sources = ["setting", "protection", "ruleset", "file"] as const;
const methods = ["merge_commit", "squash", "rebase"] as const;
const policies = ["adaptive", "fixed"] as const;
/** How many repositories are played at once. */
const atOnce = 12;

/** Every source, with and without bypass × every method × the policies × every moment. */
export const everyRow: readonly Row[] = sources.flatMap((source) =>
  (source === "setting" || source === "file" ? [true] : [true, false]).flatMap((bypass) =>
    methods.flatMap((method) =>
      policies.flatMap((policy) =>
        // A pull request ahead changes the file, and merges while the other one is tested.
        (source === "file" ? (["running"] as const) : (["running", "passed"] as const)).map((when) => ({
          ...{ source, bypass, method, policy, when },
        })),
      ),
    ),
  ),
);

/** Plays all rows, each in a repository of its own. Returns what went wrong. */
export async function playRows<T extends Row>(
  stage: Stage,
  rows: readonly T[],
  required: (row: T) => readonly string[],
  play: (stage: Stage, row: T, repository: Repository) => Promise<void>,
): Promise<readonly string[]> {
  const waiting = [...rows.entries()];
  const wrong: string[] = [];
  async function playOne(index: number, row: T): Promise<void> {
    const repository = await Repository.open(
      stage,
      row,
      `${play.name.toLowerCase()}-${index}`,
      required(row),
    );
    try {
      await play(stage, row, repository);
    } catch (error) {
      wrong.push(`${Object.values(row).join(", ")}: ${error instanceof Error ? error.message : error}`);
    } finally {
      repository.close();
    }
  }
  async function playNext(): Promise<void> {
    for (let next = waiting.shift(); next; next = waiting.shift()) await playOne(...next);
  }
  await Promise.all(Array.from({ length: atOnce }, playNext));
  return wrong;
}

/** A check becomes required. It is demanded, and its pull request leaves the queue only by merging. */
export async function addCheck(_stage: Stage, row: Row, repository: Repository): Promise<void> {
  const changing = row.source === "file" ? { [file]: named(["build", "test"]) } : { "facts/1.json": "{}\n" };
  const first = await repository.submit("one", changing);
  const second = row.source === "file" ? await repository.submit("two", { "facts/2.json": "{}\n" }) : first;
  await repository.until(second, "testing");
  if (row.when === "passed") {
    await repository.setStatus("paused");
    repository.build.open();
    await repository.until(second, "tests_passed");
  }
  // The file is changed by the pull request ahead, which needs only the old check.
  if (row.source !== "file") await repository.require(["build", "test"]);
  repository.build.open();
  if (row.when === "passed") await repository.setStatus("running");
  if (first !== second) await repository.until(first, "merged");
  await repository.waitsFor(second, "test");
  repository.test.open();
  await repository.until(second, "merged");
}

/** A check is not required any more, or was corrected. */
export async function removeCheck(stage: Stage, row: Row, repository: Repository): Promise<void> {
  repository.build.open();
  const pr = await repository.submit("one", { "facts/1.json": "{}\n" });
  await repository.until(pr, "testing");
  await repository.require(["build"]);
  // Only an App that may read administration is told of rules. Others notice it with the next round of the reconciler.
  const event = { protection: "branch_protection_rule", ruleset: "repository_ruleset" } as const;
  if (row.source === "protection" || row.source === "ruleset")
    await deliver(stage, event[row.source], {
      action: "edited",
      repository: {
        id: 0,
        name: repository.at.repo,
        full_name: `acme/${repository.at.repo}`,
        owner: { login: "acme" },
      },
    });
  await repository.until(pr, "merged");
}

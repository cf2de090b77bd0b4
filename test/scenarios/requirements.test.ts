import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { RulesetOptions } from "../../tools/sandbox/world/rules/ruleset.ts";
import { Author } from "./author.ts";
import { deliver } from "./deliver.ts";
import { eventually } from "./eventually.ts";
import { Gate } from "./gate.ts";
import { Stage } from "./stage.ts";

let stage: Stage;

beforeAll(async () => {
  stage = await Stage.open();
});

const gates: Gate[] = [];

afterAll(async () => {
  for (const gate of gates) gate.open();
  await stage.close();
});

const file = ".github/trainyard.yml";
const named = (checks: readonly string[]) => `requiredStatuses: [${checks.join(", ")}]\n`;

/** A repository with a queue, whose required checks change while pull requests are tested. */
interface Row {
  readonly source: "setting" | "file" | "protection" | "ruleset";
  readonly method: "merge_commit" | "squash" | "rebase";
  readonly policy: "adaptive" | "fixed";
  /** Whether the App bypasses the protection or the ruleset. */
  readonly bypass: boolean;
  /** When they change: while the tests run, or after they have passed, while the queue is paused. */
  readonly when: "running" | "passed";
}

class Repository {
  readonly build = new Gate();
  readonly test = new Gate();
  readonly #row: Row;
  readonly at: { readonly owner: string; readonly repo: string };
  readonly queue: typeof stage.queue;

  constructor(row: Row, name: string) {
    this.#row = row;
    this.at = { owner: "acme", repo: name };
    gates.push(this.build, this.test);
    this.queue = { ...stage.queue, repo: { ...stage.queue.repo, name } };
  }

  static async open(row: Row, name: string, required: readonly string[]): Promise<Repository> {
    const repository = new Repository(row, name);
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

  #protect(required: readonly string[]): void {
    const name = `acme/${this.at.repo}`;
    const { source, bypass } = this.#row;
    const { slug } = stage.sandbox.app;
    if (source === "protection") {
      const bypassing = bypass ? [slug] : [];
      stage.sandbox.setProtection(name, "main", { requiredChecks: [...required], bypass: bypassing });
    }
    if (source !== "ruleset") return;
    const rule: RulesetOptions = {
      rules: [
        { type: "required_status_checks", required_status_checks: required.map((context) => ({ context })) },
      ],
      bypass: bypass ? [{ actor: slug, mode: "exempt" }] : [],
    };
    stage.sandbox.setRulesets(name, [rule]);
  }

  async require(required: readonly string[]): Promise<void> {
    this.#protect(required);
    if (this.#row.source === "setting")
      await stage.client.updateQueue({ ...this.queue, requiredStatuses: [...required] });
    if (this.#row.source !== "file") return;
    const change = { files: { [file]: named(required) }, message: "Require other checks" };
    await new Author(stage.octokit("admin"), "admin", this.at).addCommit("main", change);
  }

  /** Opens a pull request, and queues it once CI has finished on its head. */
  async submit(name: string, files: Readonly<Record<string, string>>): Promise<number> {
    const alice = stage.octokit("alice");
    const message = `Add ${name}`;
    await new Author(alice, "alice", this.at).createBranch(name, "main", { files, message });
    const { data } = await alice.rest.pulls.create({ ...this.at, base: "main", head: name, title: message });
    const sha = data.head.sha;
    await eventually(async () => {
      const { data: checks } = await alice.rest.checks.listForRef({ ...this.at, ref: sha });
      const passed = checks.check_runs.filter(({ conclusion }) => conclusion === "success");
      return passed.length >= 2 ? true : null;
    }, "the checks on the head");
    await stage.sandbox.reportStatus(`acme/${this.at.repo}`, { sha, context: "lint", state: "success" });
    await stage.client.submitPullRequest({ ...this.queue, pr: { number: data.number } });
    return data.number;
  }

  #look(pr: number) {
    return stage.client.getSubmittedPullRequest({ ...this.queue, pr: { number: pr } });
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
    await stage.client.updateQueue({ ...this.queue, state: status });
  }
}

/** Returns what went wrong; null = nothing. */
async function outcomeOf(play: () => Promise<void>): Promise<string | null> {
  try {
    await play();
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const sources = ["setting", "protection", "ruleset", "file"] as const;
const methods = ["merge_commit", "squash", "rebase"] as const;
const isFreeOfRules = (source: Row["source"]) => source === "setting" || source === "file";

const rows: readonly Row[] = sources.flatMap((source) =>
  methods.flatMap((method, index) =>
    (isFreeOfRules(source) ? [true] : [true, false]).flatMap((bypass) => {
      const policy = (index + Number(bypass)) % 2 === 0 ? ("adaptive" as const) : ("fixed" as const);
      const when = source !== "file" && index % 2 === 1 ? ("passed" as const) : ("running" as const);
      return { source, method, bypass, policy, when };
    }),
  ),
);

async function addCheck(row: Row, name: string): Promise<void> {
  const repository = await Repository.open(row, name, ["build"]);
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

test("a check that becomes required while pull requests are tested is demanded, whatever requires it, and they merge once it has passed", async () => {
  const outcomes = await Promise.all(
    rows.map(async (row, index) => {
      const what = `${row.source}, ${row.method}, ${row.policy}, bypass ${row.bypass}, ${row.when}`;
      return [what, await outcomeOf(() => addCheck(row, `added-${index}`))];
    }),
  );
  expect(outcomes.filter(([, outcome]) => outcome !== null)).toEqual([]);
});

async function removeCheck(row: Row, name: string, before: readonly string[]): Promise<void> {
  const repository = await Repository.open(row, name, before);
  repository.build.open();
  const pr = await repository.submit("one", { "facts/1.json": "{}\n" });
  await repository.until(pr, "testing");
  await repository.require(["build"]);
  // Only an App that may read administration is told of rules. Others notice it with the next round of the reconciler.
  const event = { protection: "branch_protection_rule", ruleset: "repository_ruleset" } as const;
  if (row.source === "protection" || row.source === "ruleset")
    await deliver(stage, event[row.source], {
      action: "edited",
      repository: { id: 0, name, full_name: `acme/${name}`, owner: { login: "acme" } },
    });
  await repository.until(pr, "merged");
}

test("a check that is not required any more, or was corrected, is not waited for", async () => {
  const removals = sources.flatMap((source, index) => {
    const [policy, method] = [
      index % 2 === 0 ? "adaptive" : "fixed",
      methods[index % 3] ?? "squash",
    ] as const;
    const row: Row = { source, method, policy, bypass: index % 2 === 0, when: "running" };
    return [["build", "lint"], ["lint"]].map((before) => ({ row, before }));
  });
  const outcomes = await Promise.all(
    removals.map(async ({ row, before }, index) => {
      const what = `${row.source}, ${row.method}, ${row.policy}, ${before}`;
      return [what, await outcomeOf(() => removeCheck(row, `removed-${index}`, before))];
    }),
  );
  expect(outcomes.filter(([, outcome]) => outcome !== null)).toEqual([]);
});

import type { CheckFact } from "../../../src/engine/model/checks/required-checks.ts";
import { type CodeHost, type Content, numberOf } from "../soak/code-host.ts";
import type { Past } from "./code-host-guards.ts";
import type { Mishap, ServicePlan } from "./service-plan.ts";
import { baseBranches } from "./virtual-repository.ts";
import type { VirtualTime } from "./virtual-time.ts";

export const checkNames = ["build", "lint"];

interface Suite {
  readonly id: number;
  readonly content: Content;
  checks: CheckFact[];
  /** The names of the checks that have ever passed. */
  readonly passed: Set<string>;
}

interface VirtualCiParts {
  readonly time: VirtualTime;
  readonly model: CodeHost;
  readonly random: () => number;
  readonly plan: Pick<ServicePlan, "flake" | "mishap" | "outage">;
  readonly past: Past;
  /** Called for every check that has ended. */
  readonly onEnd: (sha: string, check: CheckFact) => void;
}

/** Tests commits in virtual time, by the truth about their content. */
export class VirtualCi {
  readonly #parts: VirtualCiParts;
  /** Several for a commit that is pushed to several branches. */
  readonly #suites = new Map<string, Suite[]>();
  #ids = 0;
  #tests = 0;
  #isMishapOver = false;

  constructor(parts: VirtualCiParts) {
    this.#parts = parts;
  }

  test(sha: string, content: Content): void {
    const suite: Suite = { id: this.#nextId(), content, checks: [], passed: new Set() };
    this.#suites.set(sha, [...(this.#suites.get(sha) ?? []), suite]);
    this.#start(sha, suite);
  }

  checksOf(sha: string): readonly CheckFact[] {
    return (this.#suites.get(sha) ?? []).flatMap(({ checks }) => checks);
  }

  /** Whether all of these checks have passed in one test that contained a head. */
  hasPassed(head: string, checks: readonly string[]): boolean {
    return this.#all().some(
      ([, { content, passed }]) => content.includes(head) && checks.every((name) => passed.has(name)),
    );
  }

  /** Re-runs the tests of a commit; false when its suite is not known. */
  rerun(suiteId: number): "begun" | "busy" | "unknown" {
    for (const [sha, suite] of this.#all()) {
      if (suite.id !== suiteId) continue;
      if (suite.checks.some(({ status }) => status !== "completed")) return "busy";
      this.#start(sha, suite);
      return "begun";
    }
    return "unknown";
  }

  /** Re-runs the last commit whose tests have ended. */
  rerunLast(): void {
    const ended = this.#all().findLast(
      ([, { checks }]) => checks.length > 0 && checks.every(({ status }) => status === "completed"),
    );
    if (ended) this.#start(...ended);
  }

  #all(): [string, Suite][] {
    return [...this.#suites].flatMap(([sha, suites]) => suites.map((suite): [string, Suite] => [sha, suite]));
  }

  #start(sha: string, suite: Suite): void {
    const { time, model, random, onEnd } = this.#parts;
    const { flake, outage } = this.#parts.plan;
    this.#tests += 1;
    const isGreen = model.isGreen(suite.content) && this.#tests !== flake;
    const mishap = this.#takeMishap(suite.content);
    if (mishap === "silent") return;
    suite.checks = checkNames.map((name) => ({
      ...{ kind: "check_run", name, appId: null, suiteId: suite.id, id: this.#nextId() },
      ...{ status: "in_progress", conclusion: null, url: null },
    }));
    this.#parts.past.record(`checks ${sha}`, time.now(), this.checksOf(sha));
    if (mishap === "hung") return;
    suite.checks.forEach((check, index) => {
      time.after(20_000 + random() * 120_000, () => {
        // Only the first check depends on the content.
        const passedMs = time.now() - time.startsAt - (outage?.at ?? 0);
        const isOut = outage !== null && passedMs >= 0 && passedMs < outage.ms;
        const isPassed = (isGreen || index > 0) && !isOut;
        const conclusion = mishap === "cancelled" ? "cancelled" : isPassed ? "success" : "failure";
        // GitHub's times are whole seconds.
        const completedAt = Math.floor(time.now() / 1_000) * 1_000;
        const ended: CheckFact = { ...check, status: "completed", conclusion, completedAt };
        suite.checks = suite.checks.map((one) => (one.id === check.id ? ended : one));
        this.#parts.past.record(`checks ${sha}`, time.now(), this.checksOf(sha));
        if (conclusion === "success") suite.passed.add(ended.name);
        onEnd(sha, ended);
      });
    });
  }

  /** Returns the mishap of the test that begins; null = none. */
  #takeMishap(content: Content): Mishap["kind"] | null {
    const { model, plan } = this.#parts;
    const { mishap } = plan;
    if (mishap === null || this.#isMishapOver || this.#tests < mishap.test) return null;
    // A queue repeats such a test only if the checks have reported to it before, as after a merge (ADR 66).
    if (mishap.kind === "silent" && !followsMerge(content, model)) return null;
    this.#isMishapOver = true;
    return mishap.kind;
  }

  #nextId(): number {
    this.#ids += 1;
    return this.#ids;
  }
}

/** Whether the base of a test contains a pull request that a queue has merged. */
function followsMerge(content: Content, model: CodeHost): boolean {
  return baseBranches.some((base) => {
    const isOfQueue = (pr: number) => pr > 0 && !model.mergedByHand.has(pr);
    const merged = model.contentOf(model.tipOf(base)).filter((item) => isOfQueue(numberOf(item)));
    return merged.length > 0 && merged.every((item) => content.includes(item));
  });
}

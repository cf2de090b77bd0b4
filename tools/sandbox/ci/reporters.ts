import type { Account } from "../world/account.ts";
import type { CheckConclusion } from "../world/checks/check.ts";
import { createRun, createStatus, ensureSuite } from "../world/checks/checks.ts";
import { registerReportingApp } from "../world/installations.ts";
import type { Repository } from "../world/repository.ts";
import type { World } from "../world/world.ts";
import type { WorldEvent } from "../world/world-event.ts";
import { fires, pathsBetween, pushedPaths } from "./triggers.ts";
import type { Trigger, WorkflowEvent } from "./workflow.ts";

/** Another App than CI that reports on commits, like Apps for DCO, CLA and coverage. */
export interface Reporter {
  /** The name of the App. */
  app: string;
  reports: "check_run" | "status";
  /** The name of its check run, or the context of its status. */
  name: string;
  on: Partial<Record<WorkflowEvent, Trigger>>;
  /** How long it takes to report, in milliseconds. A status is pending until then. */
  afterMs: number;
  /** Default: success. A status fails with every other one. */
  conclusion?: CheckConclusion;
}

/** The Apps that report on commits besides CI. */
export class Reporters {
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  async receive(event: WorldEvent): Promise<void> {
    if (event.type === "push") return this.#hearPush(event);
    if (event.type !== "pull_request") return;
    const { pull, change } = event;
    if (!["opened", "reopened", "synchronize"].includes(change.action)) return;
    const { repository, head, base } = pull;
    for (const reporter of repository.ci?.reporters ?? []) {
      const trigger = reporter.on.pull_request;
      const files = () => pathsBetween(repository, base.sha, head.sha);
      if (trigger && (await fires(trigger, base.ref, files)))
        await this.#report(repository, reporter, head.sha);
    }
  }

  async #hearPush({ repository, ref, before, after }: Extract<WorldEvent, { type: "push" }>): Promise<void> {
    if (!ref.startsWith("refs/heads/") || after === null) return;
    const branch = ref.slice("refs/heads/".length);
    for (const reporter of repository.ci?.reporters ?? []) {
      const trigger = reporter.on.push;
      const files = () => pushedPaths(repository, branch, before, after);
      if (trigger && (await fires(trigger, branch, files))) await this.#report(repository, reporter, after);
    }
  }

  async #report(repository: Repository, reporter: Reporter, sha: string): Promise<void> {
    const world = this.#world;
    const app = registerReportingApp(world, reporter.app);
    const conclusion = reporter.conclusion ?? "success";
    const creator: Account = app.bot;
    const shared = { sha, context: reporter.name, description: null, targetUrl: null, creator, app };
    if (reporter.reports === "status") await createStatus(world, repository, { ...shared, state: "pending" });
    world.background.after(reporter.afterMs, async () => {
      if (reporter.reports === "status") {
        const state = conclusion === "success" ? "success" : "failure";
        await createStatus(world, repository, { ...shared, state });
        return;
      }
      const now = world.now();
      await createRun(world, repository, ensureSuite(world, repository, app, sha), {
        name: reporter.name,
        status: "completed",
        conclusion,
        startedAt: now,
        completedAt: now,
        externalId: null,
        detailsUrl: null,
        output: { title: null, summary: null, text: null, annotations: [] },
      });
    });
  }
}

import type { InstalledRepository } from "../../../src/ports/code-host/code-host.ts";
import { type VirtualCalls, VirtualFailure } from "./virtual-calls.ts";
import type { VirtualCodeHost } from "./virtual-code-host.ts";
import type { VirtualRepository } from "./virtual-repository.ts";

const changes: ReadonlySet<string> = new Set<keyof VirtualCodeHost>([
  "buildTestCommit",
  "removeBranch",
  "merge",
  "putCheckRun",
  "putComment",
  "addLabel",
  "removeLabel",
  "react",
  "rerunFailedJobs",
  "cancelWorkflowRuns",
  "openTestPullRequest",
]);

/** Refuses calls through an installation that does not reach the repository, and changes of an archived one. */
export function guardedCodeHost(
  host: VirtualCodeHost,
  repository: VirtualRepository,
  calls: VirtualCalls,
): VirtualCodeHost {
  return new Proxy(host, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function" || typeof name !== "string") return member;
      return (...args: readonly unknown[]) => {
        const [at] = args;
        const refusal =
          isInstalled(at) && name !== "readReach" ? repository.refusalOf(at, changes.has(name)) : null;
        const answer: unknown = refusal
          ? calls.call(name, () => {
              throw refusal;
            })
          : member.apply(target, args);
        return name === "readPullRequest" ? orNull(answer) : answer;
      };
    },
  });
}

/**
 * The answer for a pull request that does not exist or that the App does not see. During an incident, the adapter does not believe such an
 * answer.
 */
async function orNull(answer: unknown): Promise<unknown> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof VirtualFailure && error.kind === "not_found" && !error.isOfReading) return null;
    throw error;
  }
}

function isInstalled(value: unknown): value is InstalledRepository {
  return typeof value === "object" && value !== null && "installationId" in value;
}

/** The answers of a code host about everything that never changes in the simulation. */
export abstract class UnchangingCodeHost {
  protected readonly calls: VirtualCalls;

  constructor(calls: VirtualCalls) {
    this.calls = calls;
  }

  protected ask<T>(name: string, answer: () => T): Promise<T> {
    return this.calls.read(name, answer);
  }

  protected change<T>(name: string, effect: () => T): Promise<T> {
    return this.calls.change(name, effect);
  }

  async readMergeMessage() {
    return {};
  }

  firstCommits() {
    return this.ask("firstCommits", () => []);
  }

  readPullRequestText() {
    return this.ask("readPullRequestText", () => ({ body: "", commits: [], unlisted: 0 }));
  }

  pusherOf() {
    return this.ask("pusherOf", () => ({ login: "mallory", id: 2, isPerson: true }));
  }

  readFile() {
    return this.ask("readFile", () => null);
  }

  isSameRepositoryFile() {
    return this.ask("isSameRepositoryFile", () => true);
  }

  changedBetween() {
    return this.ask("changedBetween", () => []);
  }

  conflictDetails() {
    return this.ask("conflictDetails", () => ({ paths: [], since: null }));
  }

  changedPaths() {
    return this.ask("changedPaths", () => []);
  }

  readAnnotations() {
    return this.ask("readAnnotations", () => []);
  }

  async readForkRun() {
    return null;
  }

  permissionOf() {
    return this.ask("permissionOf", () => "admin" as const);
  }

  async readOwnership() {
    return null;
  }

  cancelWorkflowRuns() {
    return this.change("cancelWorkflowRuns", () => ({ cancelled: 0, refused: null }));
  }

  async findIssue() {
    return null;
  }

  openIssue(): Promise<never> {
    return this.calls.deny("the simulation has no issues");
  }

  async editIssue() {
    return null;
  }

  async commentOnIssue() {}

  readFact(): Promise<never> {
    return this.calls.deny("the simulation has no facts for the doctor");
  }
}

interface Moment<T> {
  readonly since: number;
  readonly value: T;
}

/** The earlier values that the code host's replicas may still show, each with its time. */
export class Past {
  readonly #moments = new Map<string, Moment<unknown>[]>();

  /** Records the current value of something. */
  record(key: string, now: number, value: unknown): void {
    const known = this.#moments.get(key) ?? [];
    known.push({ since: now, value });
    this.#moments.set(key, known);
  }

  /** The value at a time; `current` if nothing is known of that time. */
  at<T>(key: string, time: number, current: T): T {
    const moment = this.#moments.get(key)?.findLast(({ since }) => since <= time);
    return moment ? (moment.value as T) : current;
  }
}

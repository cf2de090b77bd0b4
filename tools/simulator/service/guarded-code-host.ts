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
 * A pull request that does not exist, and one that the App does not see, are the same for it. In an incident, the adapter does not
 * believe that there is none.
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

import type { InstalledRepository } from "../../../src/ports/code-host/code-host.ts";
import type { VirtualCalls } from "./virtual-calls.ts";
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
        if (isInstalled(at) && name !== "readReach") {
          const refusal = repository.refusalOf(at, changes.has(name));
          if (refusal)
            return calls.call(name, () => {
              throw refusal;
            });
        }
        return member.apply(target, args);
      };
    },
  });
}

function isInstalled(value: unknown): value is InstalledRepository {
  return typeof value === "object" && value !== null && "installationId" in value;
}

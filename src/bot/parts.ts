import type { TrainyardClient } from "../client/client.ts";
import type { RepositoryRef } from "../engine/model/queue.ts";
import type { CodeHost, InstalledRepository, RepositoryPermission } from "../ports/code-host.ts";
import type { HeadLog } from "../ports/head-log.ts";
import type { Clock, Logger } from "../ports/runtime.ts";
import type { AuditTrail } from "../service/audit-trail.ts";
import type { CheckWatcher } from "../service/check-watcher.ts";
import type { Notices } from "../service/notices.ts";
import type { QueueReach } from "../service/queue-reach.ts";
import type { Relay } from "../service/relay.ts";
import type { RepositoryFiles } from "../service/repository-files.ts";
import type { ToldChecks } from "../service/told-checks.ts";

export interface BotSettings {
  /** `/trainyard` */
  readonly commandPrefix: string;
  /** Putting it on a pull request submits that; taking it off cancels. */
  readonly submitLabel: string;
  /** What our own branches begin with. */
  readonly ownBranches: readonly string[];
  /** Our own App's check runs are no news to us. */
  readonly appId: number;
  /** `github.com`, or the name of the GitHub Enterprise Server whose webhooks these are. */
  readonly host: string;
}

/** What the handlers of deliveries work with. */
export interface BotParts {
  /** Commands go through the public API, as those of other clients do. */
  readonly client: TrainyardClient;
  readonly permissionOf: (repo: InstalledRepository, login: string) => Promise<RepositoryPermission>;
  readonly react: CodeHost["react"];
  readonly readFile: CodeHost["readFile"];
  readonly isSameFile: CodeHost["isSameFile"];
  readonly changedPaths: CodeHost["changedPaths"];
  readonly putCheckRun: CodeHost["putCheckRun"];
  readonly removeLabel: CodeHost["removeLabel"];
  readonly files: Pick<RepositoryFiles, "read" | "forget">;
  /** The branch that a pull request is to be merged into; null when there is no such pull request. */
  readonly baseBranchOf: (repo: InstalledRepository, pr: number) => Promise<string | null>;
  /** The pull requests on which our check is on a commit. */
  readonly checkedPullRequests: (repo: RepositoryRef, sha: string) => Promise<readonly number[]>;
  readonly heads: Pick<HeadLog, "last">;
  readonly headAt: CodeHost["headAt"];
  readonly notices: Pick<Notices, "answer" | "react">;
  readonly relay: Pick<Relay, "pullRequestChanged" | "branchPushed">;
  readonly audit: Pick<AuditTrail, "record">;
  readonly reach: Pick<QueueReach, "hear" | "recognise">;
  readonly watcher: Pick<CheckWatcher, "hint">;
  readonly toldChecks: Pick<ToldChecks, "note">;
  readonly settings: BotSettings;
  readonly clock: Pick<Clock, "now">;
  readonly log: Logger;
}

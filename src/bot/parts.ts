import type { TrainyardClient } from "../client/client.ts";
import type { RepositoryRef } from "../engine/model/queue.ts";
import type { CodeHost, InstalledRepository, RepositoryPermission } from "../ports/code-host/code-host.ts";
import type { Clock, Logger } from "../ports/code-host/runtime.ts";
import type { AuditTrail } from "../service/access/audit-trail.ts";
import type { CheckWatcher } from "../service/observation/check-watcher.ts";
import type { QueueReach } from "../service/observation/repository-access.ts";
import type { RepositoryFiles } from "../service/observation/repository-files.ts";
import type { RequirementsWatcher } from "../service/observation/requirements-watcher.ts";
import type { ToldChecks } from "../service/observation/webhook-checks.ts";
import type { WebhookObserver } from "../service/observation/webhook-observer.ts";
import type { CommandReplies } from "../service/status/notices.ts";
import type { CommandLog } from "../store/queue/command-log.ts";
import type { HeadLog } from "../store/queue/head-log.ts";
import type { QueueRecord } from "../store/queue/queue-store.ts";

export interface BotSettings {
  /** `/trainyard` */
  readonly commandPrefix: string;
  /** Adding this label submits a pull request; removing it cancels. */
  readonly submitLabel: string;
  /** The prefixes of our own branches. */
  readonly ownBranches: readonly string[];
  /** Check runs of our own App are ignored. */
  readonly appId: number;
  /** `github.com`, or the name of the GitHub Enterprise Server that sends the webhooks. */
  readonly host: string;
}

/** The dependencies of the delivery handlers. */
export interface BotParts {
  /** Commands go through the public API, like those of other clients. */
  readonly client: TrainyardClient;
  readonly permissionOf: (repo: InstalledRepository, login: string) => Promise<RepositoryPermission>;
  readonly react: CodeHost["react"];
  readonly readRepositoryFile: CodeHost["readRepositoryFile"];
  readonly isSameRepositoryFile: CodeHost["isSameRepositoryFile"];
  readonly changedPaths: CodeHost["changedPaths"];
  readonly putCheckRun: CodeHost["putCheckRun"];
  readonly removeLabel: CodeHost["removeLabel"];
  readonly listLabelEvents: CodeHost["listLabelEvents"];
  readonly autoMergeEnabledAt: CodeHost["autoMergeEnabledAt"];
  readonly files: Pick<RepositoryFiles, "read" | "forget" | "lastValid">;
  /** Returns the branch that a pull request is to be merged into; null when there is no such pull request. */
  readonly baseBranchOf: (repo: InstalledRepository, pr: number) => Promise<string | null>;
  /** Returns the queues of a repository, if the bot is part of their service. */
  readonly queuesOf: (repo: RepositoryRef) => Promise<readonly Pick<QueueRecord, "id" | "branch">[]>;
  /** Returns the pull requests that have our check on this commit. */
  readonly checkedPullRequests: (repo: RepositoryRef, sha: string) => Promise<readonly number[]>;
  readonly heads: Pick<HeadLog, "last">;
  readonly commands: Pick<CommandLog, "last" | "record">;
  readonly headAt: CodeHost["headAt"];
  readonly notices: Pick<CommandReplies, "answer" | "react">;
  readonly relay: Pick<WebhookObserver, "pullRequestChanged" | "branchPushed" | "inputHandled">;
  readonly requirements: Pick<RequirementsWatcher, "changed">;
  readonly audit: Pick<AuditTrail, "record">;
  readonly reach: Pick<QueueReach, "hear" | "recognise" | "check" | "suspect" | "presentBranch">;
  readonly watcher: Pick<CheckWatcher, "hint">;
  readonly toldChecks: Pick<ToldChecks, "note">;
  readonly settings: BotSettings;
  readonly clock: Pick<Clock, "now">;
  readonly log: Logger;
}

import type { TrainyardClient } from "../client/client.ts";
import type { RepositoryRef } from "../engine/model/queue.ts";
import type { CodeHost, InstalledRepository } from "../ports/code-host/code-host.ts";
import type { Clock, Logger } from "../ports/code-host/runtime.ts";
import type { Service } from "../service/create-service.ts";
import type { Store } from "../store/create-stores.ts";
import type { QueueRecord } from "../store/queue/queue-store.ts";
import type { PolledQueue } from "./events/found-deliveries.ts";

export interface BotSettings {
  /** `/trainyard` */
  readonly commandPrefix: string;
  /** Adding this label submits a pull request; removing it cancels. */
  readonly submitLabel: string;
  readonly ownBranches: readonly string[];
  /** Check runs of our own App are ignored. */
  readonly appId: number;
  /** Commands from before this time that polling finds are not carried out, in milliseconds since the epoch. */
  readonly commandsSince: number;
  /** `github.com`, or the name of the GitHub Enterprise Server that sends the webhooks. */
  readonly host: string;
}

type Stores = Pick<
  Store,
  "inbox" | "commands" | "heads" | "cursors" | "meters" | "publications" | "sessions"
>;
type Services = Pick<
  Service,
  | "files"
  | "instances"
  | "notices"
  | "relay"
  | "requirements"
  | "audit"
  | "reach"
  | "watcher"
  | "webhookChecks"
>;

export interface Bot extends Stores, Services {
  /** Commands go through the public API, like those of other clients. */
  readonly client: TrainyardClient;
  readonly codeHost: CodeHost;
  /** Returns the branch that a pull request is to be merged into; null when there is no such pull request. */
  readonly baseBranchOf: (repo: InstalledRepository, pr: number) => Promise<string | null>;
  /** Returns the queues of a repository, if the bot is part of their service. */
  readonly queuesOf: (repo: RepositoryRef) => Promise<readonly Pick<QueueRecord, "id" | "branch">[]>;
  /** Returns the branches whose commands are polled. */
  readonly polledQueues: () => Promise<readonly PolledQueue[]>;
  readonly settings: BotSettings;
  readonly clock: Clock;
  readonly log: Logger;
}

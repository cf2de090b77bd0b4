import type { Quarantines } from "../flaky/service/quarantines.ts";
import type { TestReader } from "../flaky/service/test-reader.ts";
import type { RepositoryTestSettings } from "../flaky/service/test-repositories.ts";
import type { KnownApp } from "../service/access/app-check.ts";
import type { AuditTrail } from "../service/access/audit-trail.ts";
import type { TokenService } from "../service/access/tokens.ts";
import type { QueueHealth } from "../service/metrics/health/queue-health.ts";
import type { GivenUpDeliveries } from "../service/observation/given-up-deliveries.ts";
import type { QueueDoctor } from "../service/queues/queue-doctor.ts";
import type { QueueOverview } from "../service/queues/queue-overview.ts";
import type { QueuePast } from "../service/queues/queue-past.ts";
import type { QueueService } from "../service/queues/queue-service.ts";
import type { TestedCommits } from "../service/queues/tested-commits.ts";
import type { Webhooks } from "../service/webhooks/webhooks.ts";
import type { LivePages } from "./live.ts";
import type { NextStepsFacts } from "./next-steps-page.ts";
import type { GitHubSignIn } from "./routes/github-sign-in.ts";
import type { Sessions } from "./session.ts";
import type { SettingsReader } from "./settings/settings-reader.ts";
import type { WhatIfThread } from "./what-if/what-if-thread.ts";

/** What the pages are made of. */
export interface DashboardParts {
  readonly queues: QueueService;
  readonly overview: Pick<QueueOverview, "list" | "summarize" | "search" | "listEnded">;
  readonly health: Pick<QueueHealth, "read" | "stays">;
  readonly past: Pick<QueuePast, "read" | "marks">;
  readonly testedCommits: Pick<TestedCommits, "find">;
  readonly knownApp: () => KnownApp;
  /** What is damaged in the file of the database; null = nothing is known to be. */
  readonly databaseDamage: () => string | null;
  readonly givenUp: Pick<GivenUpDeliveries, "ofRepository">;
  readonly tests: Pick<TestReader, "search" | "story" | "reportsOn" | "addresses">;
  readonly quarantines: Pick<Quarantines, "set">;
  readonly audit: Pick<AuditTrail, "list" | "record" | "execute">;
  readonly testSettings: Pick<RepositoryTestSettings, "get" | "update">;
  readonly readSettings: SettingsReader;
  readonly tokens: Pick<TokenService, "create" | "list" | "revoke">;
  readonly webhooks: Pick<Webhooks, "list" | "update" | "deliveries" | "resend">;
  readonly doctor: Pick<QueueDoctor, "examine">;
  readonly whatIf: Pick<WhatIfThread, "ask">;
  readonly sessions: Sessions;
  readonly live: LivePages;
  /** Null = the App's client secret is not set, so that people sign in with tokens only. */
  readonly signIn: GitHubSignIn | null;
  /** Returns the API's description, which is public. */
  readonly apiDocument: () => object;
  /** The public address of the pages; null = the address that each request was sent to. */
  readonly publicUrl: string | null;
  readonly nextSteps: NextStepsFacts;
  /** How long pull requests that ended are kept, in milliseconds. */
  readonly historyMs: number;
  readonly now: () => number;
}

import type { KnownApp } from "../service/access/app-check.ts";
import type { Service } from "../service/create-service.ts";
import type { LivePages } from "./live.ts";
import type { NextStepsFacts } from "./next-steps-page.ts";
import type { GitHubSignIn } from "./routes/sign-in.ts";
import type { Sessions } from "./session.ts";
import type { SettingsReader } from "./settings/settings-reader.ts";
import type { WhatIfThread } from "./what-if/what-if-thread.ts";

export interface DashboardServices
  extends Pick<
    Service,
    | "queues"
    | "overview"
    | "health"
    | "past"
    | "failures"
    | "testedCommits"
    | "givenUp"
    | "knownTests"
    | "quarantines"
    | "audit"
    | "testSettings"
    | "tokens"
    | "commandLineSignIns"
    | "webhooks"
    | "doctor"
  > {
  readonly knownApp: () => KnownApp;
  /** What is damaged in the file of the database; null = nothing is known to be. */
  readonly databaseDamage: () => string | null;
  readonly readSettings: SettingsReader;
  readonly whatIf: WhatIfThread;
  readonly sessions: Sessions;
  readonly live: LivePages;
  /** Null = the App's client secret is not set, so people sign in with tokens only. */
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

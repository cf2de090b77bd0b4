import type { ExplainedStall } from "../../engine/explain/explain.ts";
import type { ExplainLink } from "../../engine/explain/explain-link.ts";
import type { Entry } from "../../engine/model/entry.ts";
import type { Freeze } from "../../engine/model/order/freeze.ts";
import type { NextMode, QueueStatus, RepositoryRef } from "../../engine/model/queue.ts";
import type { QueueSettings } from "../../engine/model/settings.ts";
import type { TestRun } from "../../engine/model/test-run.ts";
import type { Reason } from "../../engine/reasons/reason.ts";
import type { MergeForecast } from "./forecasts.ts";
import type { SettingsInForce } from "./settings-in-force.ts";

/** An entry, with its place and forecast in the queue. */
export interface QueueItemView {
  readonly entry: Entry;
  /** The run that decides about the entry. */
  readonly run: TestRun | null;
  /** The unmerged pull requests that its test commit is built on. */
  readonly ahead: readonly number[];
  /** 1 means next to merge; null when it is not ready or has ended. */
  readonly position: number | null;
  /** When it will merge, if it merges; null when it is not ready, has ended, or is in a paused queue. */
  readonly forecast: MergeForecast | null;
  /** From the outermost cause to the entry. */
  readonly why: readonly ExplainLink[];
}

/** An entry for people and API clients, live or ended. */
export interface EntryView extends QueueItemView {
  readonly live: boolean;
  /** Impacted targets of its head were uploaded. */
  readonly hasImpactedTargets: boolean;
  /** The queue is in `parallel` mode. */
  readonly requiresImpactedTargets: boolean;
}

export interface QueueView {
  readonly id: string;
  readonly repo: RepositoryRef;
  readonly branch: string;
  readonly status: QueueStatus;
  readonly statusReason: Reason;
  /** Null when there is none. */
  readonly freeze: Freeze | null;
  /** Pull requests wait, and nothing has merged for too long; null when there is no such alarm. */
  readonly stall: ExplainedStall | null;
  readonly settings: QueueSettings;
  /** The mode and the policy that the queue is switching to; null when it is not switching. */
  readonly next: Pick<NextMode, "mode" | "policy"> | null;
  /** The values from the repository file for settings that the queue leaves open. */
  readonly inForce: SettingsInForce;
  readonly baseSha: string | null;
  /** The last test of the base by itself failed, and nothing has passed since. */
  readonly isBaseFailing: boolean;
  /** Entries in testing first, then pending ones in the order in which they will be considered. */
  readonly entries: readonly QueueItemView[];
  /** Submitted, but not ready to be tested. */
  readonly awaitingReadiness: readonly QueueItemView[];
}

import type { Entry } from "../engine/model/entry.ts";
import type { ExplainLink } from "../engine/explain/explain-link.ts";
import type { Freeze } from "../engine/model/freeze.ts";
import type { NextMode, QueueStatus, RepositoryRef } from "../engine/model/queue.ts";
import type { Reason } from "../engine/reasons/reason.ts";
import type { QueueSettings } from "../engine/model/settings.ts";
import type { TestRun } from "../engine/model/test-run.ts";
import type { MergeForecast } from "./forecasts.ts";
import type { SettingsInForce } from "./settings-in-force.ts";

/** A live entry in its queue. */
export interface QueueItemView {
  readonly entry: Entry;
  /** The run that decides about it. */
  readonly run: TestRun | null;
  /** What its tests stand on and has not merged yet. */
  readonly ahead: readonly number[];
  /** 1 = next to merge; null when it is not ready or has ended. */
  readonly position: number | null;
  /** When it will merge, if it does; null for what is not ready, has ended, or is kept by a paused queue. */
  readonly forecast: MergeForecast | null;
  /** From the outermost cause to the entry. */
  readonly why: readonly ExplainLink[];
}

/** An entry as people and programs ask for it, live or ended. */
export interface EntryView extends QueueItemView {
  readonly live: boolean;
  /** Somebody has said what its head impacts. */
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
  /** Null: there is none. */
  readonly freeze: Freeze | null;
  readonly settings: QueueSettings;
  /** The mode and the policy that it switches to; null: it does not. */
  readonly next: Pick<NextMode, "mode" | "policy"> | null;
  /** With what the repository file says where the settings leave it open. */
  readonly inForce: SettingsInForce;
  readonly baseSha: string | null;
  /** Testing first, then pending in the order in which they will be considered. */
  readonly entries: readonly QueueItemView[];
  /** Submitted, but not ready to be tested. */
  readonly awaitingReadiness: readonly QueueItemView[];
}

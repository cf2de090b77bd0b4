import { type ExplainedStall, explain, explainStall } from "../../engine/explain/explain.ts";
import type { ExplainLink } from "../../engine/explain/explain-link.ts";
import { positionOf } from "../../engine/fold/entry-index.ts";
import { type Entry, isTerminal } from "../../engine/model/entry.ts";
import type { Freeze } from "../../engine/model/order/delay.ts";
import { remainingAhead } from "../../engine/model/order/dependencies.ts";
import {
  baseTip,
  type NextMode,
  type QueueState,
  type QueueStatus,
  type RepositoryRef,
  runOf,
  startsTests,
} from "../../engine/model/queue.ts";
import { type QueueSettings, usesLanes } from "../../engine/model/settings.ts";
import type { TestRun } from "../../engine/model/test-run.ts";
import type { Reason } from "../../engine/reasons/reason.ts";
import type { QueueStore } from "../../store/queue/queue-store.ts";
import type { TargetStore } from "../../store/queue/target-store.ts";
import type { PageUrl } from "./directory.ts";
import type { Forecasts, MergeForecast } from "./forecasts.ts";
import type { QueueRuntime } from "./queue-runtime.ts";
import type { QueueTracks } from "./queue-tracks.ts";
import type { SettingsInForce } from "./settings-in-force.ts";
import { tracksOf } from "./tracks-of.ts";

/** An entry, with its place and forecast in the queue. */
export interface QueueItemView {
  readonly entry: Entry;
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
  /** Why the queue is paused or draining; null = it is running. */
  readonly halt: Reason | null;
  /** Impacted targets of its head were uploaded. */
  readonly hasImpactedTargets: boolean;
  /** The queue is in `parallel` mode. */
  readonly requiresImpactedTargets: boolean;
  /** Its page on this service; null when the dashboard has no public address. */
  readonly pageUrl: string | null;
}

export interface QueueView {
  readonly id: string;
  readonly repo: RepositoryRef;
  readonly branch: string;
  readonly status: QueueStatus;
  readonly statusReason: Reason;
  /** Milliseconds since the epoch. */
  readonly statusSince: number;
  /** Null when there is none. */
  readonly freeze: Freeze | null;
  /** Given while pull requests wait and nothing has merged for too long; null when there is no such alarm. */
  readonly stall: ExplainedStall | null;
  readonly settings: QueueSettings;
  /** The mode and the policy that the queue is switching to; null when it is not switching. */
  readonly next: Pick<NextMode, "mode" | "policy"> | null;
  /** The values from the repository file for settings that the queue leaves open. */
  readonly inForce: SettingsInForce & {
    /** Whether anyone may read the queue's page. */
    readonly publicPage: boolean;
  };
  readonly baseSha: string | null;
  /** The last test of the base by itself failed, and nothing has passed since. */
  readonly isBaseFailing: boolean;
  /** Entries in testing first, then pending ones in the order in which they will be considered. */
  readonly entries: readonly QueueItemView[];
  /** Submitted, but not ready to be tested. */
  readonly awaitingReadiness: readonly QueueItemView[];
  /** What is tested on top of what. */
  readonly tracks: QueueTracks;
}

/** A queue at one moment, maybe in the past. The repository file of that time is not known. */
export type QueuePicture = Omit<QueueView, "inForce">;

export interface EntrySources {
  readonly store: QueueStore;
  readonly targets: Pick<TargetStore, "has">;
  readonly forecasts: Forecasts;
  readonly runtime: Pick<QueueRuntime, "state">;
  readonly pageUrl: PageUrl;
}

/** Reads entries, live and ended. */
export class EntryReader {
  readonly #parts: EntrySources;

  constructor(parts: EntrySources) {
    this.#parts = parts;
  }

  /** The live entry of a pull request, else the last ended one; null when it was never submitted. */
  async entryView(state: QueueState, pr: number): Promise<EntryView | null> {
    const { store, targets, forecasts, runtime, pageUrl } = this.#parts;
    const live = state.entries.get(pr);
    const entry = live ?? (await store.lastEntry(state.id, pr));
    if (!entry) return null;
    // It was submitted after the state was read, which cannot describe it.
    if (!live && !isTerminal(entry.state)) return this.entryView(await runtime.state(state.id), pr);
    const hasImpactedTargets = live
      ? live.targets !== null
      : await targets.has(state.repo, entry.pr, entry.headSha);
    const position = live ? positionOf(state, pr) : null;
    const requiresImpactedTargets = usesLanes(state.settings);
    return {
      ...itemView(state, entry, position, forecasts),
      live: live !== undefined,
      halt: startsTests(state.status) ? null : state.statusReason,
      hasImpactedTargets,
      requiresImpactedTargets,
      pageUrl: pageUrl(state, pr),
    };
  }
}

export function queueView(state: QueueState, inForce: QueueView["inForce"], forecasts: Forecasts): QueueView {
  return { ...queuePicture(state, forecasts), inForce };
}

/** @param part of the entries; `most` also limits those that are not ready. Each of them is explained, which takes time */
export function queuePicture(
  state: QueueState,
  forecasts: Forecasts,
  { from, most } = { from: 0, most: Number.POSITIVE_INFINITY },
): QueuePicture {
  const view = (pr: number, position: number | null) => {
    const entry = state.entries.get(pr);
    return entry ? [itemView(state, entry, position, forecasts)] : [];
  };
  return {
    id: state.id,
    repo: state.repo,
    branch: state.branch,
    status: state.status,
    statusReason: state.statusReason,
    statusSince: state.statusSince,
    freeze: state.freeze,
    stall: explainStall(state, forecasts.now),
    settings: state.settings,
    next: state.next,
    baseSha: baseTip(state),
    isBaseFailing: state.history.baseFinding?.verdict === "failed",
    entries: inOrder(state)
      .slice(from, from + most)
      .flatMap((pr, index) => view(pr, from + index + 1)),
    awaitingReadiness: [...state.unready.values()].slice(0, most).flatMap((pr) => view(pr, null)),
    tracks: tracksOf(state, forecasts),
  };
}

function itemView(
  state: QueueState,
  entry: Entry,
  position: number | null,
  forecasts: Forecasts,
): QueueItemView {
  const run = runOf(state, entry);
  const ahead = (run && remainingAhead(state, run)) ?? [];
  const forecast = isTerminal(entry.state) ? null : forecasts.of(state, entry.pr);
  return { entry, run, ahead, position, forecast, why: explain(state, entry, forecasts.now) };
}

/** Every ready entry: the line, then waiting entries in the order in which they will be considered. */
function inOrder(state: QueueState): number[] {
  return [
    ...state.line,
    ...state.direct.values(),
    ...state.waiting.values(),
    ...state.held.values(),
    ...state.delayed.values(),
  ];
}

import type { Priority } from "../engine/model/entry.ts";
import type { Event, EventOf } from "../engine/model/event.ts";
import { startsTests } from "../engine/model/queue.ts";
import { defaultSettings, type QueueSettings } from "../engine/model/settings.ts";
import type { Targets } from "../engine/model/targets.ts";
import type { Reason } from "../engine/reasons/reason.ts";

/** One stay of a pull request in the queue, as the log shows it. Times are milliseconds since the epoch. */
export interface RecordedEntry {
  readonly pr: number;
  priority: Priority;
  noBatch: boolean;
  targets: Targets | null;
  /** When it became ready for tests; null = never. */
  readyAt: number | null;
  ending: "merged" | "failed" | "cancelled" | null;
  endedAt: number | null;
  /** The reason of the ending. */
  reason: Reason | null;
  /** Duration of the last run that decided about it and had its own verdict; null = there was none. */
  testMs: number | null;
}

export interface RecordedRun {
  readonly members: readonly RecordedEntry[];
  /** All unmerged pull requests that it tested. */
  readonly tree: readonly RecordedEntry[];
  builtAt: number | null;
  /** When CI ended, or the run was no longer needed. */
  endedAt: number | null;
  verdict: "passed" | "failed" | null;
}

/** The workload of a queue and its outcome, as the log shows them. */
export interface Recording {
  readonly from: number;
  readonly to: number;
  /** The settings at the end. */
  readonly settings: QueueSettings;
  readonly entries: readonly RecordedEntry[];
  readonly runs: readonly RecordedRun[];
  /** Number of changes of the settings. */
  readonly reconfigured: number;
  /** How long the queue started no tests. */
  readonly stoppedMs: number;
}

/**
 * Reads the log of a queue, the whole or its end. The time of the last event is the end of the recording.
 *
 * @param settings the settings before the first event
 */
export function readRecording(events: readonly Event[], settings = defaultSettings): Recording {
  const reader = new RecordingReader(settings);
  for (const event of events) reader.take(event);
  return reader.recording;
}

class RecordingReader {
  #settings: QueueSettings;
  #from: number | null = null;
  #to = 0;
  #reconfigured = 0;
  #stoppedSince: number | null = null;
  #stoppedMs = 0;
  readonly #stays: RecordedEntry[] = [];
  readonly #live = new Map<number, RecordedEntry>();
  readonly #runs = new Map<string, RecordedRun>();

  constructor(settings: QueueSettings) {
    this.#settings = settings;
  }

  get recording(): Recording {
    const stoppedMs = this.#stoppedMs + (this.#stoppedSince === null ? 0 : this.#to - this.#stoppedSince);
    return {
      from: this.#from ?? 0,
      to: this.#to,
      settings: this.#settings,
      entries: this.#stays,
      runs: [...this.#runs.values()],
      reconfigured: this.#reconfigured,
      stoppedMs,
    };
  }

  take(event: Event): void {
    const { data, at } = event;
    this.#from ??= at;
    this.#to = at;
    switch (data.type) {
      case "queue_created":
        this.#settings = { ...this.#settings, ...data.settings };
        return;
      case "queue_configured":
        this.#settings = { ...this.#settings, ...data.changes };
        this.#reconfigured++;
        return;
      case "queue_status_changed":
        return this.#follow(startsTests(data.to), at);
      case "entry_admitted":
        return this.#admit(data);
      case "entry_revised":
        return this.#change(data.pr, { priority: data.priority, noBatch: data.noBatch });
      case "entry_targeted":
        return this.#change(data.pr, { targets: data.targets });
      case "entry_moved":
        return this.#move(data, at);
      case "run_started":
        return this.#start(data);
      case "run_built":
        return this.#changeRun(data.runId, { builtAt: at });
      case "run_concluded":
        return this.#conclude(data, at);
      case "run_discarded":
        return this.#changeRun(data.runId, { endedAt: this.#runs.get(data.runId)?.endedAt ?? at });
    }
  }

  #follow(starts: boolean, at: number): void {
    if (!starts) this.#stoppedSince ??= at;
    else if (this.#stoppedSince !== null) {
      this.#stoppedMs += at - this.#stoppedSince;
      this.#stoppedSince = null;
    }
  }

  #admit({ pr, priority, noBatch, targets }: EventOf<"entry_admitted">): void {
    const stay: RecordedEntry = {
      pr,
      priority,
      noBatch,
      targets,
      readyAt: null,
      ending: null,
      endedAt: null,
      reason: null,
      testMs: null,
    };
    this.#stays.push(stay);
    this.#live.set(pr, stay);
  }

  #move({ pr, from, to, reason }: EventOf<"entry_moved">, at: number): void {
    if (from === "not_ready" && to === "pending") this.#change(pr, { readyAt: at });
    if (to !== "merged" && to !== "failed" && to !== "cancelled") return;
    this.#change(pr, { ending: to, endedAt: at, reason });
    this.#live.delete(pr);
  }

  #start({ run }: EventOf<"run_started">): void {
    const stays = (prs: readonly number[]) => prs.flatMap((pr) => this.#live.get(pr) ?? []);
    const members = stays(run.members);
    this.#runs.set(run.id, {
      members,
      tree: [...stays(run.ahead), ...members],
      builtAt: null,
      endedAt: null,
      verdict: null,
    });
  }

  #conclude(data: EventOf<"run_concluded">, at: number): void {
    const run = this.#runs.get(data.runId);
    if (!run) return;
    run.endedAt = at;
    // Another run's verdict ended this one, so its own duration and verdict are unknown.
    if (data.vouchedBy !== undefined || run.builtAt === null) return;
    run.verdict = data.verdict;
    for (const stay of run.members) stay.testMs = at - run.builtAt;
  }

  #change(pr: number, changes: Partial<RecordedEntry>): void {
    const stay = this.#live.get(pr);
    if (stay) Object.assign(stay, changes);
  }

  #changeRun(runId: string, changes: Partial<RecordedRun>): void {
    const run = this.#runs.get(runId);
    if (run) Object.assign(run, changes);
  }
}

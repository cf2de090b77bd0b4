import { type Decided, decide } from "../../engine/decide.ts";
import { type Context, type Input, isCommand } from "../../engine/model/input.ts";
import type { QueueState } from "../../engine/model/queue.ts";
import type { ClaimedRow } from "../../store/leased/outbox.ts";
import type { QueueRecord, Relocation } from "../../store/queue/queue-store.ts";
import type { PendingAudit } from "../access/audit-trail.ts";
import { changesOf } from "./command-changes.ts";

export interface DispatchOptions {
  /**
   * The outbox row whose outcome is this input. The row is marked as done in the same transaction. If another worker has claimed it
   * meanwhile, nothing is decided, because that worker reports the outcome.
   */
  readonly settles?: ClaimedRow;
  /** Adds the queue to the directory. */
  readonly creates?: QueueRecord;
  /** Refused with `QUEUE_EXISTS` when another queue has that branch. */
  readonly relocates?: Relocation;
}

/** An input that waits for its decision. */
export interface Job {
  /** Null only requests the state. */
  readonly input: Input | null;
  readonly options: DispatchOptions;
  /** The audit entry of the command; null when the input is no command, or is not audited. */
  readonly audit: PendingAudit | null;
  readonly resolve: (decided: Decided) => void;
  readonly reject: (error: unknown) => void;
}

/** A job whose decision throws is rejected alone. Deciding is pure, so the other jobs are not affected. */
export function decideAll(before: QueueState, jobs: readonly Job[], context: Context) {
  let state = before;
  return jobs.flatMap((job) => {
    try {
      const { input, audit } = job;
      const decided = input === null ? unchanged(state) : decide(state, input, context);
      const changes = audit && input && isCommand(input) ? changesOf(state, input, decided) : null;
      state = decided.state;
      return [{ job, decided, changes }];
    } catch (error) {
      job.reject(error);
      return [];
    }
  });
}

export function unchanged(state: QueueState): Decided {
  return { state, events: [], refusal: null, touched: new Map() };
}

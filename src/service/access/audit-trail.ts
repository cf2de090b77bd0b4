import { AsyncLocalStorage } from "node:async_hooks";
import { nameKey } from "../../engine/model/names.ts";
import type { Clock, Logger } from "../../ports/code-host/runtime.ts";
import type {
  AuditEntry,
  AuditLog,
  AuditPlace,
  AuditQuery,
  AuditRecord,
} from "../../store/access/audit-log.ts";
import { PeriodicTask } from "../workers/periodic-task.ts";
import { CountedRefusals } from "./counted-refusals.ts";

export type AuditedAct = Omit<AuditEntry, "at">;

const forgetEveryMs = 60 * 60_000;
/** Limits how long one deletion blocks other writes. */
const forgetAtOnce = 500;
/** User agents and names may be of any length. */
const maxText = 256;
/** The longest reason that an endpoint accepts. */
const maxReason = 500;

/** Records who did what, for the retention period. */
export class AuditTrail {
  readonly #entries: AuditLog;
  readonly #clock: Clock;
  readonly #retentionMs: number;
  readonly #forgetting: PeriodicTask;
  readonly #refusals: CountedRefusals;

  /** @param retentionMs how long an entry is kept */
  constructor(entries: AuditLog, clock: Clock, log: Logger, retentionMs: number) {
    this.#entries = entries;
    this.#clock = clock;
    this.#retentionMs = retentionMs;
    this.#forgetting = new PeriodicTask({
      run: () => this.#forget(),
      everyMs: forgetEveryMs,
      purpose: "forget old audit entries",
      log,
      level: "warn",
    });
    this.#refusals = new CountedRefusals((entry) =>
      entries
        .append(entry)
        .catch((error) => log.warn({ err: error }, "could not record how often something was refused")),
    );
  }

  /** Records what was not carried out as a command. Durable when the promise resolves, except for repeated refusals. */
  async record(act: AuditedAct): Promise<void> {
    const entry = this.#entryOf(act);
    if (act.outcome === "refused" && this.#refusals.count(entry)) return;
    await this.#entries.append(entry);
  }

  /**
   * Carries out a command. Records its outcome before it is answered: in the transaction of the command's
   * events if it has any.
   *
   * @param actOf returns the act with this outcome; null = it is not recorded
   * @param codeOf returns why the command was refused; null = it was carried out
   */
  async execute<T>(
    actOf: (outcome: AuditedAct["outcome"], code: string | null) => AuditedAct | null,
    carryOut: () => Promise<T>,
    codeOf: (answer: T) => string | null,
  ): Promise<T> {
    const planned = actOf("done", null);
    const pending: PendingAudit | null = planned && {
      entry: this.#entryOf(planned),
      noted: {},
      isWritten: false,
    };
    let end: Pick<AuditedAct, "outcome" | "code"> = { outcome: "failed", code: "INTERNAL_ERROR" };
    try {
      const answer = pending ? await commands.run(pending, carryOut) : await carryOut();
      const code = codeOf(answer);
      end = { outcome: code === null ? "done" : "refused", code };
      return answer;
    } finally {
      const isDone = end.outcome === "done";
      const act = isDone && pending?.isWritten ? null : actOf(end.outcome, end.code);
      if (act) await this.#append({ ...act, ...(isDone ? pending?.noted : {}) });
    }
  }

  #append(act: AuditedAct): Promise<void> {
    return this.#entries.append(this.#entryOf(act));
  }

  #entryOf({ actor, userAgent, reason, ...act }: AuditedAct): AuditEntry {
    const short = (text: string) => text.slice(0, maxText);
    return {
      ...act,
      at: this.#clock.now(),
      organisation: nameKey(act.organisation),
      actor: { ...actor, id: short(actor.id), name: short(actor.name) },
      userAgent: userAgent && short(userAgent),
      reason: reason?.trim().slice(0, maxReason).toWellFormed() || null,
    };
  }

  /** Newest first. `next` is the start of the following page. */
  async list(query: AuditQuery): Promise<{ records: readonly AuditRecord[]; next: AuditPlace | null }> {
    // One entry more than requested shows whether another page follows.
    const found = await this.#entries.list({ ...query, limit: query.limit + 1 });
    const records = found.slice(0, query.limit);
    const last = records.at(-1);
    return { records, next: found.length > query.limit && last ? { at: last.at, id: last.id } : null };
  }

  /** Deletes expired entries, now and every hour. */
  start(): void {
    this.#forgetting.start();
  }

  async stop(): Promise<void> {
    await this.#forgetting.stop();
    await this.#refusals.settle();
  }

  async #forget(): Promise<void> {
    const entries = this.#entries;
    const before = this.#clock.now() - this.#retentionMs;
    let forgotten = forgetAtOnce;
    // Other database work runs between two portions.
    while (forgotten === forgetAtOnce) forgotten = await entries.forget(before, forgetAtOnce);
  }
}

/** The audit entry of a command that is being carried out. */
export interface PendingAudit {
  /** What is recorded if the command is carried out. */
  readonly entry: AuditEntry;
  /** What the command has said about itself. */
  noted: Partial<Pick<AuditEntry, "changes" | "subject">>;
  /** Set when the entry is durable, because it was committed together with the command's events. */
  isWritten: boolean;
}

const commands = new AsyncLocalStorage<PendingAudit>();

/**
 * The entry of the command that is being carried out; null when it is written, or when there is none. It is committed together with
 * the command's first events.
 *
 * Hazard: work that begins meanwhile and goes on in the background belongs to this command, too. Only inputs
 * that are commands may claim the entry.
 */
export function pendingAudit(): PendingAudit | null {
  const pending = commands.getStore();
  return pending && !pending.isWritten ? pending : null;
}

/** Adds to the entry of the command that is being carried out what it has changed. */
export function noteChanges(noted: PendingAudit["noted"]): void {
  const pending = commands.getStore();
  if (pending) pending.noted = noted;
}

import type { AuditEntry, AuditLog, AuditPlace, AuditQuery, AuditRecord } from "../ports/audit-log.ts";
import type { Clock, Logger } from "../ports/runtime.ts";
import { messageOf } from "./retry.ts";

export type AuditedAct = Omit<AuditEntry, "at">;

export interface AuditTrailParts {
  readonly entries: AuditLog;
  readonly clock: Clock;
  readonly log: Logger;
  /** How long an entry is kept. */
  readonly retentionMs: number;
}

const forgetEveryMs = 60 * 60_000;
/** Bounds how long one portion keeps other writes waiting. */
const forgetAtOnce = 500;
/** What clients say of themselves, and what people are called, may be of any length. */
const maxText = 256;

/** Keeps who did what, for as long as it is wanted. */
export class AuditTrail {
  readonly #parts: AuditTrailParts;
  #timer: NodeJS.Timeout | null = null;
  #forgetting: Promise<void> | null = null;

  constructor(parts: AuditTrailParts) {
    this.#parts = parts;
  }

  /** On disk when the promise resolves. */
  record({ actor, userAgent, ...act }: AuditedAct): Promise<void> {
    const { entries, clock } = this.#parts;
    const short = (text: string) => text.slice(0, maxText);
    return entries.append({
      ...act,
      at: clock.now(),
      organisation: act.organisation.toLowerCase(),
      actor: { ...actor, id: short(actor.id), name: short(actor.name) },
      userAgent: userAgent && short(userAgent),
    });
  }

  /** Newest first; `next` is where the following page begins. */
  async list(query: AuditQuery): Promise<{ records: readonly AuditRecord[]; next: AuditPlace | null }> {
    // One more than asked for tells whether another page follows.
    const found = await this.#parts.entries.list({ ...query, limit: query.limit + 1 });
    const records = found.slice(0, query.limit);
    const last = records.at(-1);
    return { records, next: found.length > query.limit && last ? { at: last.at, id: last.id } : null };
  }

  /** Forgets what has had its time, now and from now on every hour. */
  start(): void {
    this.#forget();
    this.#timer = setInterval(() => this.#forget(), forgetEveryMs);
  }

  async stop(): Promise<void> {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
    await this.#forgetting;
  }

  #forget(): void {
    this.#forgetting ??= this.#forgetAll()
      .catch((error: unknown) =>
        this.#parts.log.warn({ err: error }, `could not forget old audit entries: ${messageOf(error)}`),
      )
      .finally(() => {
        this.#forgetting = null;
      });
  }

  async #forgetAll(): Promise<void> {
    const { entries, clock, retentionMs } = this.#parts;
    const before = clock.now() - retentionMs;
    let forgotten = forgetAtOnce;
    // Between two portions, whatever else waits for the database has its turn.
    while (forgotten === forgetAtOnce) forgotten = await entries.forget(before, forgetAtOnce);
  }
}

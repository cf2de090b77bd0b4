import { setTimeout } from "node:timers/promises";
import type { StorageFault } from "../../ports/storage-fault.ts";
import type { GroupCommit } from "./group-commit.ts";
import { StorageError } from "./storage-error.ts";

/** The row that the probe overwrites. Nothing reads it. */
const name = "readiness";
/** The probe is public, and each write is a flush to disk. */
const freshMs = 1_000;
/** Longer than a group of writes takes, and shorter than clients wait for a probe. */
const patienceMs = 5_000;

/** On a full disk, a small write may succeed where larger ones fail, so these failures count for some time. */
const lasting: readonly StorageFault["code"][] = [
  "DATABASE_FULL",
  "DATABASE_READ_ONLY",
  "DATABASE_WRITE_FAILED",
  "DATABASE_CORRUPT",
];
const lastingMs = 5_000;

/** Checks whether the database can be written to, by writing to it at most once a second. */
export class WriteProbe {
  readonly #writes: GroupCommit;
  #writing: Promise<StorageFault | null> | null = null;
  #endedAt = Number.NEGATIVE_INFINITY;
  #outcome: StorageFault | null = null;
  #isClosed = false;

  constructor(writes: GroupCommit) {
    this.#writes = writes;
  }

  close(): void {
    this.#isClosed = true;
  }

  /** Why nothing can be written, or not everything; null when a write has just succeeded, and none has failed lately. */
  async ask(): Promise<StorageFault | null> {
    if (this.#isClosed) return { code: "DATABASE_NOT_ANSWERING", cause: new Error("the store is closed") };
    if (performance.now() - this.#endedAt < freshMs) return this.#outcome;
    this.#writing ??= this.#write();
    return Promise.race([this.#writing, tooLate()]);
  }

  async #write(): Promise<StorageFault | null> {
    this.#outcome = (await this.#tryToWrite()) ?? this.#recentFault();
    this.#endedAt = performance.now();
    this.#writing = null;
    return this.#outcome;
  }

  #recentFault(): StorageFault | null {
    const fault = this.#writes.faultWithin(lastingMs);
    return fault && lasting.includes(fault.code) ? fault : null;
  }

  async #tryToWrite(): Promise<StorageFault | null> {
    const value = new Date().toISOString();
    try {
      await this.#writes.run((tx) =>
        tx
          .insertInto("cursors")
          .values({ name, value })
          .onConflict((known) => known.column("name").doUpdateSet({ value }))
          .execute(),
      );
      return null;
    } catch (cause) {
      return cause instanceof StorageError ? cause : { code: "DATABASE_NOT_ANSWERING", cause };
    }
  }
}

async function tooLate(): Promise<StorageFault | null> {
  await setTimeout(patienceMs, null, { ref: false });
  const cause = new Error(`nothing could be written within ${patienceMs / 1_000} seconds`);
  return { code: "DATABASE_BUSY", cause };
}

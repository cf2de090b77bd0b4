import type { Claim, Outbox, OutboxBacklog, OutboxRow, PlannedTask, Task } from "../ports/outbox.ts";
import { parseStored } from "./corrupt-row.ts";
import type { Writes } from "./group-commit.ts";
import { LeasedQueue, type NewRow } from "./leased-queue.ts";
import type { Database, Tx } from "./schema.ts";

const queue = new LeasedQueue("outbox");

/** Adds tasks in order, as part of a larger write. */
export async function addTasks(tx: Tx, tasks: readonly PlannedTask[]): Promise<void> {
  const rows = tasks.map(({ task, ...row }) => ({ ...row, content: JSON.stringify(task) }));
  for (const row of folded(rows)) await queue.add(tx, row);
}

/** Without rows that would only be folded into the one before them of the same stream. */
function folded(rows: readonly NewRow[]): Iterable<NewRow> {
  const kept: NewRow[] = [];
  const lastOf = new Map<string, number>();
  for (const row of rows) {
    const at = lastOf.get(row.stream);
    const last = at === undefined ? undefined : kept[at];
    if (at !== undefined && last?.coalesce && row.coalesce && last.content === row.content) {
      kept[at] = { ...last, notBefore: Math.min(last.notBefore, row.notBefore) };
      continue;
    }
    lastOf.set(row.stream, kept.length);
    kept.push(row);
  }
  return kept;
}

/** Settles rows as part of a larger write. */
export async function settleTasks(tx: Tx, ids: readonly number[]): Promise<void> {
  for (const id of ids) await queue.settle(tx, id);
}

export class SqlOutbox implements Outbox {
  readonly #db: Database;
  readonly #writes: Writes;

  constructor(db: Database, writes: Writes) {
    this.#db = db;
    this.#writes = writes;
  }

  async add(planned: PlannedTask): Promise<void> {
    await this.#writes.run((tx) => addTasks(tx, [planned]));
  }

  async claim(claim: Claim): Promise<readonly OutboxRow[]> {
    if (!(await queue.isAnyDue(this.#db, claim.now))) return [];
    return await this.#writes.run(async (tx) => {
      const rows = await queue.claim(tx, claim);
      return rows.map(({ content, ...row }) => ({
        ...row,
        task: parseStored<Task>(content, `outbox row ${row.id}`),
      }));
    });
  }

  async settle(id: number): Promise<void> {
    await this.#writes.run((tx) => settleTasks(tx, [id]));
  }

  async postpone(id: number, notBefore: number, error: string | null): Promise<void> {
    await this.#writes.run((tx) => queue.postpone(tx, id, notBefore, error));
  }

  async renew(id: number, leaseUntil: number): Promise<void> {
    await this.#writes.run((tx) => queue.renew(tx, id, leaseUntil));
  }

  nextDue(): Promise<number | null> {
    return queue.nextDue(this.#db);
  }

  async backlog(): Promise<readonly OutboxBacklog[]> {
    const streams = await queue.backlog(this.#db);
    return streams.map(({ stream, content, rows, wantedAt }) => ({
      task: parseStored<Task>(content, `the outbox's stream ${stream}`),
      rows,
      wantedAt,
    }));
  }

  depth(): Promise<number> {
    return queue.depth(this.#db);
  }
}

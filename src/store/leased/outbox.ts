import type { RepositoryRef } from "../../engine/model/queue.ts";
import type {
  Claim,
  ClaimedRow,
  Outbox,
  OutboxBacklog,
  OutboxRow,
  PlannedTask,
  Task,
} from "../../ports/outbox.ts";
import type { Relocation } from "../../ports/queue-store.ts";
import { parseStored } from "../queries/corrupt-row.ts";
import type { Writes } from "../sqlite/group-commit.ts";
import type { Database, Tx } from "../sqlite/schema.ts";
import { LeasedQueue } from "./leased-queue.ts";
import type { NewRow } from "./leased-row.ts";
import type { Postponement } from "./postpone-rows.ts";
import { SharedWrite } from "./shared-write.ts";

const queue = new LeasedQueue("outbox");

/** Adds tasks in order, as part of a larger write. */
export async function addTasks(tx: Tx, tasks: readonly PlannedTask[]): Promise<void> {
  const rows = tasks.map(({ task, ...row }) => ({ ...row, content: JSON.stringify(task) }));
  await queue.addAll(tx, folded(rows));
}

/** Merges each row that would only be coalesced into the previous one of the same stream. */
function folded(rows: readonly NewRow[]): readonly NewRow[] {
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

/** Settles rows as part of a larger write. Returns those whose claim is no longer valid. */
export async function settleTasks(tx: Tx, rows: readonly ClaimedRow[]): Promise<readonly ClaimedRow[]> {
  const settled = await queue.settleAll(tx, rows);
  return rows.filter(({ claim, id }) => !settled.has(claim + id));
}

/** Moves the tasks of these streams to a repository's new name, as part of a larger write. */
export async function moveTasks(
  tx: Tx,
  { from, to }: Relocation["streams"],
  repo: RepositoryRef,
): Promise<void> {
  const contentOf = (content: string, id: number) =>
    JSON.stringify({ ...parseStored<Task>(content, `outbox row ${id}`), repo });
  await queue.moveStreams(tx, { from, to, contentOf });
}

export class SqlOutbox implements Outbox {
  readonly #db: Database;
  readonly #writes: Writes;
  readonly #settling: SharedWrite<ClaimedRow>;
  readonly #postponing: SharedWrite<Postponement>;

  constructor(db: Database, writes: Writes) {
    this.#db = db;
    this.#writes = writes;
    this.#settling = new SharedWrite(writes, (tx, rows) => queue.settleAll(tx, rows));
    this.#postponing = new SharedWrite(writes, (tx, rows) => queue.postponeAll(tx, rows));
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

  settle(row: ClaimedRow): Promise<void> {
    return this.#settling.add(row);
  }

  postpone(
    row: ClaimedRow,
    notBefore: number,
    error: string | null,
    failedAs: string | null = null,
  ): Promise<void> {
    return this.#postponing.add({ row, notBefore, error, failedAs });
  }

  async hasten(streams: readonly string[], notBefore: number): Promise<void> {
    await this.#writes.run(async (tx) => {
      for (const stream of streams) await queue.hasten(tx, stream, notBefore);
    });
  }

  async renew(row: ClaimedRow, leaseUntil: number): Promise<void> {
    await this.#writes.run((tx) => queue.renew(tx, row, leaseUntil));
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

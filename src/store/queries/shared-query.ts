import DataLoader from "dataloader";
import type { Database } from "../sqlite/schema.ts";
import { inChunks } from "./in-chunks.ts";
import type { Prepared } from "./prepared.ts";

/** How the rows for several arguments are read at once. */
export interface SeveralRows<Arguments, Row> {
  /** Arguments with the same text can be read by one query. */
  readonly groupOf: (at: Arguments) => string;
  /** Reads the rows for arguments of one group; `at` is the first one. May return rows of other arguments, too. */
  readonly read: (db: Database, at: Arguments, all: readonly Arguments[]) => Promise<readonly Row[]>;
  readonly isFor: (row: Row, at: Arguments) => boolean;
}

/** The maximum number of calls that share a query. */
const most = 64;

type Loader<Arguments, Row> = DataLoader<Arguments, readonly Row[]>;

/**
 * A prepared query that is sent once for equal calls in one turn of the event loop, and with `several` once for different calls, too.
 * Results are not cached: the query begins after the turn, so it sees everything that was committed before any of the calls. Must not be
 * used in transactions.
 */
export class SharedQuery<Arguments extends object, Row> {
  readonly #single: Prepared<Arguments, Row>;
  readonly #several: SeveralRows<Arguments, Row> | null;
  readonly #loaders = new WeakMap<Database, Loader<Arguments, Row>>();

  constructor(single: Prepared<Arguments, Row>, several: SeveralRows<Arguments, Row> | null = null) {
    this.#single = single;
    this.#several = several;
  }

  async first(db: Database, at: Arguments): Promise<Row | undefined> {
    return (await this.run(db, at))[0];
  }

  run(db: Database, at: Arguments): Promise<readonly Row[]> {
    return this.#loader(db).load(at);
  }

  #loader(db: Database): Loader<Arguments, Row> {
    const known = this.#loaders.get(db);
    if (known) return known;
    const loader = new DataLoader((all: readonly Arguments[]) => this.#readAll(db, all), {
      cache: false,
      maxBatchSize: most,
      batchScheduleFn: (send) => void setImmediate(send),
    });
    this.#loaders.set(db, loader);
    return loader;
  }

  async #readAll(db: Database, all: readonly Arguments[]): Promise<(readonly Row[])[]> {
    const different = new Map(all.map((at) => [nameOf(at), at]));
    const found = new Map<string, readonly Row[]>();
    const groups = Map.groupBy(different, ([name, at]) => this.#several?.groupOf(at) ?? name);
    await Promise.all(
      [...groups.values()].map(async (group) => {
        for (const [name, rows] of await this.#readGroup(db, group)) found.set(name, rows);
      }),
    );
    return all.map((at) => found.get(nameOf(at)) ?? []);
  }

  async #readGroup(
    db: Database,
    group: readonly (readonly [string, Arguments])[],
  ): Promise<(readonly [string, readonly Row[]])[]> {
    const [first] = group;
    if (!first) return [];
    const [name, at] = first;
    if (group.length === 1 || !this.#several) return [[name, (await this.#single.run(db, at)).rows]];
    const { read, isFor } = this.#several;
    const [padded = []] = inChunks(group, most);
    const rows = await read(
      db,
      at,
      padded.map(([, one]) => one),
    );
    return group.map(([one, its]) => [one, rows.filter((row) => isFor(row, its))]);
  }
}

function nameOf(at: object): string {
  return JSON.stringify(Object.values(at));
}

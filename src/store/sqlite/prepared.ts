import type { Compilable, CompiledQuery, QueryResult } from "kysely";
import type { Database } from "./schema.ts";

/** A placeholder for an argument while a query is compiled. */
class Slot {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/**
 * A query that is compiled once and then only executed. Used for queries of every command, because building
 * and compiling one takes several times as long as SQLite takes to execute it.
 */
export class Prepared<Arguments extends object, Row> {
  readonly #build: (db: Database, at: Arguments) => Compilable<Row>;
  #compiled: CompiledQuery<Row> | null = null;

  /**
   * @param build must use its arguments only as values of the query. It is called once, with placeholders
   * instead of values.
   */
  constructor(build: (db: Database, at: Arguments) => Compilable<Row>) {
    this.#build = build;
  }

  async first(db: Database, at: Arguments): Promise<Row | undefined> {
    return (await this.run(db, at)).rows[0];
  }

  run(db: Database, at: Arguments): Promise<QueryResult<Row>> {
    this.#compiled ??= this.#build(db, slots as Arguments).compile();
    const compiled = this.#compiled;
    const values = at as Readonly<Record<string, unknown>>;
    const parameters = compiled.parameters.map((given) =>
      given instanceof Slot ? values[given.name] : given,
    );
    return db.executeQuery({ ...compiled, parameters });
  }
}

/** Each property is the placeholder of its name. */
const slots: object = new Proxy({}, { get: (_, name) => new Slot(String(name)) });

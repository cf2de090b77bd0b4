import type { Compilable, CompiledQuery, DialectAdapter, QueryResult } from "kysely";
import type { Database } from "../sqlite/schema.ts";

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
  /** By database: each dialect has its own text. */
  readonly #compiled = new WeakMap<DialectAdapter, CompiledQuery<Row>>();

  /**
   * @param build must use its arguments only as values of the query. It is called once for each database, with
   * placeholders instead of values.
   */
  constructor(build: (db: Database, at: Arguments) => Compilable<Row>) {
    this.#build = build;
  }

  async first(db: Database, at: Arguments): Promise<Row | undefined> {
    return (await this.run(db, at)).rows[0];
  }

  run(db: Database, at: Arguments): Promise<QueryResult<Row>> {
    const compiled = this.#compile(db);
    const values = at as Readonly<Record<string, unknown>>;
    const parameters = compiled.parameters.map((given) =>
      given instanceof Slot ? values[given.name] : given,
    );
    return db.executeQuery({ ...compiled, parameters });
  }

  #compile(db: Database): CompiledQuery<Row> {
    const { adapter } = db.getExecutor();
    const known = this.#compiled.get(adapter);
    if (known) return known;
    const compiled = this.#build(db, slots as Arguments).compile();
    this.#compiled.set(adapter, compiled);
    return compiled;
  }
}

/** Each property is the placeholder of its name. */
const slots: object = new Proxy({}, { get: (_, name) => new Slot(String(name)) });

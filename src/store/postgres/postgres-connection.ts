import type { CompiledQuery, DatabaseConnection, QueryResult } from "kysely";
import type { PoolClient } from "pg";
import { asPostgresFault, isAnswer } from "./postgres-error.ts";

const changing = new Set(["INSERT", "UPDATE", "DELETE"]);

/** A connection of the pool, while somebody uses it. */
export class PostgresConnection implements DatabaseConnection {
  readonly #client: PoolClient;
  /** Whether the server may still be busy with it, or cannot be reached. Then the connection must not be used again. */
  #isBroken = false;

  constructor(client: PoolClient) {
    this.#client = client;
  }

  /** @throws StorageError when the database is faulty or not reached. */
  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const { command, rowCount, rows } = await this.#query(sql, parameters.map(storable));
    if (!changing.has(command)) return { rows };
    return { rows, numAffectedRows: BigInt(rowCount ?? 0) };
  }

  /** @throws Error when the transaction was rolled back instead. */
  async commit(): Promise<void> {
    const { command } = await this.#query("commit", []);
    if (command !== "COMMIT") throw new Error("the transaction had failed, and was rolled back");
  }

  /** If the rollback fails, the connection is closed, which ends the transaction. */
  async rollBack(): Promise<void> {
    if (this.#isBroken) return;
    await this.#query("rollback", []).catch(() => {
      this.#isBroken = true;
    });
  }

  release(): void {
    this.#client.release(this.#isBroken);
  }

  /** Returns all rows at once. */
  async *streamQuery<R>(query: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
    yield await this.executeQuery<R>(query);
  }

  async #query(sql: string, parameters: readonly unknown[]) {
    try {
      // Without parameters, several statements can be sent at once; the result is that of the last one.
      const result = await this.#client.query(sql, parameters.length === 0 ? undefined : [...parameters]);
      return Array.isArray(result) ? (result.at(-1) as typeof result) : result;
    } catch (error) {
      if (!isAnswer(error)) this.#isBroken = true;
      throw asPostgresFault(error);
    }
  }
}

/** PostgreSQL refuses texts with the character 0, which is invisible to people. */
function storable(value: unknown): unknown {
  return typeof value === "string" && value.includes("\0") ? value.replaceAll("\0", "\u{fffd}") : value;
}

import { Client } from "pg";

/** What many services do on PostgreSQL: rows without an order, taken by `for update skip locked`. The floor of `claim`. */
export class NaiveQueue {
  readonly #clients: readonly Client[];
  readonly #atOnce: number;

  private constructor(clients: readonly Client[], atOnce: number) {
    this.#clients = clients;
    this.#atOnce = atOnce;
  }

  static async create(databaseUrl: string, sessions: number, atOnce: number): Promise<NaiveQueue> {
    const clients: Client[] = [];
    while (clients.length < sessions) {
      const client = new Client({ connectionString: databaseUrl });
      await client.connect();
      clients.push(client);
    }
    await clients[0]?.query(
      "create table naive (id bigint generated always as identity primary key, content text)",
    );
    return new NaiveQueue(clients, atOnce);
  }

  /** Returns how many rows were added and taken per second. */
  async during(ms: number): Promise<number> {
    const until = performance.now() + ms;
    const taken = await Promise.all(this.#clients.map((client) => this.#work(client, until)));
    return (taken.reduce((all, count) => all + count, 0) * 1_000) / ms;
  }

  async close(): Promise<void> {
    for (const client of this.#clients) await client.end();
  }

  async #work(client: Client, until: number): Promise<number> {
    let taken = 0;
    while (performance.now() < until) {
      await client.query("insert into naive (content) select 'x' from generate_series(1, $1)", [
        this.#atOnce,
      ]);
      await client.query("begin");
      const { rows } = await client.query<{ id: string }>(
        "select id from naive order by id limit $1 for update skip locked",
        [this.#atOnce],
      );
      await client.query("delete from naive where id = any($1)", [rows.map(({ id }) => id)]);
      await client.query("commit");
      taken += rows.length;
    }
    return taken;
  }
}

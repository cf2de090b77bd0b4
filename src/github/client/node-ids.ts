import * as z from "zod";
import { nameKey } from "../../engine/model/names.ts";
import { BoundedMap } from "./bounded-map.ts";
import {
  askGraphql,
  nullIfNotFound,
  pullRequestQuery,
  type Repository,
  type RepositoryApi,
} from "./repository-api.ts";

const repositoryQuery = { fields: "id", shape: z.object({ id: z.string() }) };
const pullQuery = pullRequestQuery("id", z.object({ id: z.string() }));

const maxKnown = 20_000;

/** The global ids that GraphQL mutations need. An id never changes, so it is read only once. */
export class NodeIds {
  readonly #known = new BoundedMap<string, string>(maxKnown);

  repository(api: RepositoryApi): Promise<string> {
    return this.#find(keyOf(api.at), async () => (await askGraphql(api, repositoryQuery)).id);
  }

  pullRequest(api: RepositoryApi, number: number): Promise<string> {
    return this.#find(
      keyOf(api.at, number),
      async () => (await askGraphql(api, pullQuery, { number })).pullRequest.id,
    );
  }

  /** Remembers the id of a pull request that was read for another reason. */
  remember(at: Repository, number: number, id: string): void {
    this.#known.set(keyOf(at, number), id);
  }

  /** Must be called when GitHub does not find the object of an id: another repository may have taken the name. */
  forget(at: Repository, number?: number): void {
    this.#known.delete(keyOf(at, number));
  }

  async #find(key: string, read: () => Promise<string>): Promise<string> {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const id = await read();
    this.#known.set(key, id);
    return id;
  }
}

function keyOf({ owner, repo }: Repository, number?: number): string {
  return nameKey(`${owner}/${repo}${number === undefined ? "" : `#${number}`}`);
}

/**
 * Returns the global id of something that we wrote, from its stored id: earlier versions stored numbers. Null: it does not exist
 * any more.
 */
export async function globalIdOf(
  id: string,
  read: (number: number) => Promise<{ data: { node_id: string } }>,
): Promise<string | null> {
  if (!/^\d+$/.test(id)) return id;
  return (await nullIfNotFound(read(Number(id))))?.node_id ?? null;
}

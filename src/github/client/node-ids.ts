import * as z from "zod";
import { nameKey } from "../../engine/model/names.ts";
import { statusOf } from "./code-host-error.ts";
import { askGraphql, type Repository, type RepositoryApi } from "./repository-api.ts";

const repositoryQuery = `query ($owner: String!, $repo: String!) { repository(owner: $owner, name: $repo) { id } }`;
const repositoryShape = z.object({ repository: z.object({ id: z.string() }) });

const pullQuery = `query ($owner: String!, $repo: String!, $number: Int!) {
  repository(owner: $owner, name: $repo) { pullRequest(number: $number) { id } }
}`;
const pullShape = z.object({ repository: z.object({ pullRequest: z.object({ id: z.string() }) }) });

const maxKnown = 20_000;

/** The global ids that GraphQL mutations need. An id never changes, so it is read only once. */
export class NodeIds {
  readonly #known = new Map<string, string>();

  repository({ octokit, at }: RepositoryApi): Promise<string> {
    return this.#find(keyOf(at), async () => {
      const { owner, repo } = at;
      return (await askGraphql(octokit, repositoryQuery, { owner, repo }, repositoryShape)).repository.id;
    });
  }

  pullRequest({ octokit, at }: RepositoryApi, number: number): Promise<string> {
    return this.#find(keyOf(at, number), async () => {
      const { owner, repo } = at;
      const { repository } = await askGraphql(octokit, pullQuery, { owner, repo, number }, pullShape);
      return repository.pullRequest.id;
    });
  }

  /** Remembers the id of a pull request that was read for another reason. */
  remember(at: Repository, number: number, id: string): void {
    this.#keep(keyOf(at, number), id);
  }

  /** To be called when GitHub does not find the object of an id: another repository may have taken the name. */
  forget(at: Repository, number?: number): void {
    this.#known.delete(keyOf(at, number));
  }

  async #find(key: string, read: () => Promise<string>): Promise<string> {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const id = await read();
    this.#keep(key, id);
    return id;
  }

  #keep(key: string, id: string): void {
    const [oldest] = this.#known.keys();
    if (this.#known.size >= maxKnown && oldest !== undefined) this.#known.delete(oldest);
    this.#known.set(key, id);
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
  try {
    return (await read(Number(id))).data.node_id;
  } catch (error) {
    if (statusOf(error) !== 404) throw error;
    return null;
  }
}

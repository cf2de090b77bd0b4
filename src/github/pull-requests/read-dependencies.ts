import * as z from "zod";
import { parseDependsOn } from "../../command/parse-depends-on.ts";
import { isSameName } from "../../engine/model/names.ts";
import type { ForeignDependency, UnmetDependencies } from "../../engine/reasons/objection.ts";
import {
  nullIfNotFound,
  pullRequestsQuery,
  type RepositoryApi,
  tryGraphql,
} from "../client/repository-api.ts";

/** The parts of a pull request that are needed to find its dependencies. */
interface Described {
  readonly number: number;
  readonly url: string;
  readonly baseBranch: string;
  /** The description. */
  readonly body: string;
}

interface Dependency extends Described {
  /** OPEN, CLOSED, MERGED, or a state that GitHub adds later. */
  readonly state: string;
}

const node = z.object({
  number: z.number(),
  state: z.string(),
  url: z.string(),
  baseRefName: z.string(),
  body: z.string(),
});

/** Longer cycles are not found: their pull requests wait without a message about the cycle. */
const maxDepth = 5;

/** The dependencies for which an open pull request still has to wait; null: none. */
export async function readDependencies(
  api: RepositoryApi,
  pull: Described,
): Promise<UnmetDependencies | null> {
  const { own: wanted, foreign: named, unreadable } = parseDependsOn(pull.body, pull.url);
  const [read, foreign] = await Promise.all([
    wanted.length === 0 ? new Map<number, Dependency>() : readPullRequests(api, wanted),
    readForeign(api, named),
  ]);
  const having = (test: (found: Dependency | undefined) => boolean) =>
    wanted.filter((number) => test(read.get(number)));
  const open = having((found) => found !== undefined && found.state !== "CLOSED" && found.state !== "MERGED");
  const closed = having((found) => found?.state === "CLOSED");
  const absent = having((found) => found === undefined);
  const elsewhere = having((found) => found?.state === "MERGED" && found.baseBranch !== pull.baseBranch);
  if ([open, closed, absent, elsewhere, foreign, unreadable].every(({ length }) => length === 0)) return null;
  const cycle = await findCycle(api, pull, read);
  return {
    code: "DEPENDS_ON",
    open,
    closed,
    elsewhere,
    absent,
    cycle,
    ...(foreign.length > 0 ? { foreign } : {}),
    ...(unreadable.length > 0 ? { unreadable } : {}),
  };
}

/**
 * The pull requests of other repositories that have not merged. The content of a private repository is not disclosed in another owner's
 * repository, or in a public one.
 */
async function readForeign(
  { octokit, at }: RepositoryApi,
  names: readonly string[],
): Promise<ForeignDependency[]> {
  const read = names.map(async (pr): Promise<ForeignDependency[]> => {
    const [owner = "", repo = "", number] = pr.split(/[/#]/);
    const pull = await nullIfNotFound(octokit.rest.pulls.get({ owner, repo, pull_number: Number(number) }));
    if (!pull) return [{ pr, state: "unreadable" }];
    const isOpenToAll = !pull.base.repo.private;
    const isSameOwner = isSameName(pull.base.repo.owner.login, at.owner);
    if (!isOpenToAll && !(isSameOwner && (await octokit.rest.repos.get({ ...at })).data.private))
      return [{ pr, state: "unreadable" }];
    if (pull.merged) return [];
    return [{ pr, state: pull.state === "open" ? "open" : "closed" }];
  });
  return (await Promise.all(read)).flat();
}

/** The path of dependencies from a pull request back to itself, without its end; empty when there is none. */
async function findCycle(
  api: RepositoryApi,
  { number: start }: Described,
  first: ReadonlyMap<number, Dependency>,
): Promise<number[]> {
  const ways = new Map<number, number[]>([...first.keys()].map((number) => [number, [start]]));
  if (ways.has(start)) return [start];
  let level = first;
  for (let depth = 1; depth < maxDepth && level.size > 0; depth++) {
    const next = new Set<number>();
    for (const found of level.values()) {
      if (found.state !== "OPEN") continue;
      const way = [...(ways.get(found.number) ?? []), found.number];
      for (const number of parseDependsOn(found.body, found.url).own) {
        if (number === start) return way;
        if (ways.has(number)) continue;
        ways.set(number, way);
        next.add(number);
      }
    }
    level = next.size === 0 ? new Map() : await readPullRequests(api, [...next]);
  }
  return [];
}

/** The existing pull requests, by number. */
async function readPullRequests(
  api: RepositoryApi,
  numbers: readonly number[],
): Promise<ReadonlyMap<number, Dependency>> {
  const read = (await readByGraphql(api, numbers)) ?? (await readByRest(api, numbers));
  return new Map(read.map((pull) => [pull.number, pull]));
}

/** Null: GraphQL refuses; REST may still answer. */
async function readByGraphql(api: RepositoryApi, numbers: readonly number[]): Promise<Dependency[] | null> {
  const found = await tryGraphql(api, pullRequestsQuery(numbers, "number state url baseRefName body", node));
  if (found === null) return null;
  return Object.values(found).flatMap((found) =>
    found === null ? [] : [{ ...found, baseBranch: found.baseRefName }],
  );
}

async function readByRest({ octokit, at }: RepositoryApi, numbers: readonly number[]): Promise<Dependency[]> {
  const read = numbers.map(async (pull_number): Promise<Dependency[]> => {
    const pull = await nullIfNotFound(octokit.rest.pulls.get({ ...at, pull_number }));
    if (!pull) return [];
    const state = pull.merged ? "MERGED" : pull.state === "open" ? "OPEN" : "CLOSED";
    const { number, html_url: url, body } = pull;
    return [{ number, state, url, baseBranch: pull.base.ref, body: body ?? "" }];
  });
  return (await Promise.all(read)).flat();
}

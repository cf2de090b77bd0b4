import type { GraphqlResponseError } from "@octokit/graphql";
import type { Octokit } from "@octokit/rest";
import * as z from "zod";
import { ghost } from "../../engine/model/names.ts";
import type { StackPlace } from "../../engine/reasons/objection.ts";
import { NotFoundByReading } from "../client/code-host-error.ts";
import type { NodeIds } from "../client/node-ids.ts";
import {
  pullRequestsQuery,
  type RepositoryApi,
  type RepositoryQuery,
  tryGraphql,
} from "../client/repository-api.ts";
import { type ReadPullRequest, readPullRequest } from "./pull-request.ts";
import { readDependencies } from "./read-dependencies.ts";
import { objectionsOf, reviewFields, reviewShape } from "./review-objections.ts";

/** The shape of the fields. */
export const stackShape = {
  stack: z.object({ number: z.number(), size: z.number(), baseRefName: z.string() }).nullish(),
  stackEntry: z.object({ position: z.number() }).nullish(),
};

/** Fields of a `PullRequest`. https://github.github.io/gh-stack/reference/graphql-api/ */
const fields = "stack { number size baseRefName } stackEntry { position }";

const node = z.object(stackShape);

export function placeIn({ stack, stackEntry }: z.infer<typeof node>): { stack?: StackPlace } {
  if (!stack || !stackEntry) return {};
  const { number, size, baseRefName: baseBranch } = stack;
  return { stack: { stack: number, position: stackEntry.position, size, baseBranch } };
}

/** Clients of a GitHub that does not know the fields, such as an Enterprise Server. A query with an unknown field fails as a whole. */
const withoutStacks = new WeakSet<Octokit>();

/**
 * Queries like `tryGraphql`, and includes the fields about stacks if GitHub knows them.
 *
 * @param queryWith builds the query with further fields of `PullRequest`
 */
async function askWithStacks<T>(
  api: RepositoryApi,
  queryWith: (fields: string) => RepositoryQuery<T>,
): Promise<T | null> {
  const noteUnknown = (error: GraphqlResponseError<unknown>) => {
    if (isAboutStacks(error)) withoutStacks.add(api.octokit);
  };
  if (!withoutStacks.has(api.octokit)) {
    const answer = await tryGraphql(api, queryWith(fields), {}, noteUnknown);
    if (!withoutStacks.has(api.octokit)) return answer;
  }
  return tryGraphql(api, queryWith(""));
}

const isAboutStacks = ({ errors }: GraphqlResponseError<unknown>): boolean =>
  (errors ?? []).some(({ message }) => /\bstack(Entry)?\b.* on type .PullRequest\b/.test(message));

/** GitHub may add values to its enums, and a value that is not known must affect no other pull request of the answer. */
const pullRequestNode = z.object({
  id: z.string(),
  number: z.number(),
  state: z.string(),
  isDraft: z.boolean(),
  updatedAt: z.string(),
  isCrossRepository: z.boolean(),
  title: z.string(),
  body: z.string(),
  author: z.object({ __typename: z.string(), login: z.string() }).nullable(),
  url: z.string(),
  headRefOid: z.string(),
  headRefName: z.string(),
  headRef: z.object({ id: z.string() }).nullable(),
  baseRefName: z.string(),
  mergeable: z.string(),
  mergeStateStatus: z.string(),
  mergeCommit: z.object({ oid: z.string(), tree: z.object({ oid: z.string() }) }).nullable(),
  ...reviewShape,
  ...stackShape,
});

type PullRequestNode = z.infer<typeof pullRequestNode>;
type ReadPullRequests = ReadonlyMap<number, ReadPullRequest | null>;

/** The maximum for one query; GitHub computes a query for at most ten seconds. */
export const maxGroup = 50;

const groupFields = `  id number state isDraft updatedAt isCrossRepository title body author { __typename login } url
  headRefOid headRefName headRef { id } baseRefName mergeable mergeStateStatus mergeCommit { oid tree { oid } }
  ${reviewFields}`;

/**
 * Reads pull requests of a repository in one call, with the same facts as reading each of them alone. Those that do not exist are
 * null. The whole result is null if GraphQL refuses; REST may still answer, or give a better reason.
 * https://docs.github.com/en/graphql/reference/objects#pullrequest
 */
export async function readPullRequestGroup(
  api: RepositoryApi,
  numbers: readonly number[],
  ids?: NodeIds,
): Promise<ReadPullRequests | null> {
  const nodes = await askWithStacks(api, (more) => groupQuery(numbers, more));
  if (!nodes) return null;
  const read = numbers.map(async (number): Promise<[number, ReadPullRequest | null]> => {
    const node = nodes[`p${number}`];
    if (!node) return [number, null];
    ids?.remember(api.at, number, node.id);
    const objections = await objectionsOf(api, number, node);
    if (!states.has(node.state)) objections.push({ code: "STATE_UNKNOWN", state: node.state });
    const described = { ...node, baseBranch: node.baseRefName };
    const unmet = node.state === "OPEN" ? await readDependencies(api, described) : null;
    return [number, { ...readNode(node), objections: unmet ? [...objections, unmet] : objections }];
  });
  return new Map(await Promise.all(read));
}

/**
 * Reads any number of pull requests, one by one if GraphQL refuses. Those that do not exist are null.
 *
 * @throws NotFoundByReading when only REST can be asked, and does not find one of them.
 */
export async function readPullRequests(
  api: RepositoryApi,
  numbers: readonly number[],
): Promise<ReadPullRequests> {
  const pulls = new Map<number, ReadPullRequest | null>();
  for (let from = 0; from < numbers.length; from += maxGroup) {
    const group = numbers.slice(from, from + maxGroup);
    const read = await readPullRequestGroup(api, group);
    for (const number of group) {
      const pull = read?.get(number) ?? (await readPullRequest(api, number));
      if (pull === null && read === null) throw new NotFoundByReading(`GitHub does not find #${number}`);
      pulls.set(number, pull);
    }
  }
  return pulls;
}

export async function listObjectedTo(api: RepositoryApi, numbers: readonly number[]): Promise<number[]> {
  const read = await readPullRequestGroup(api, numbers);
  return numbers.filter((number) => {
    const pull = read?.get(number);
    return pull && (pull.objections.length > 0 || pull.stack);
  });
}

/** @param more further fields */
export function groupQuery(numbers: readonly number[], more = "") {
  return pullRequestsQuery(numbers, `${groupFields} ${more}`, pullRequestNode);
}

const states: ReadonlyMap<string, ReadPullRequest["state"]> = new Map([
  ["OPEN", "open"],
  ["CLOSED", "closed"],
  ["MERGED", "merged"],
]);
const cleanness: ReadonlyMap<string, boolean> = new Map([
  ["MERGEABLE", true],
  ["CONFLICTING", false],
]);

function readNode(node: PullRequestNode): Omit<ReadPullRequest, "objections"> {
  return {
    number: node.number,
    headSha: node.headRefOid,
    headRef: node.headRefName,
    ...(node.headRef === null ? { isBranchGone: true } : {}),
    baseBranch: node.baseRefName,
    title: node.title,
    author: loginOf(node.author),
    url: node.url,
    // An unknown state is an objection.
    state: states.get(node.state) ?? "open",
    ...mergedAs(node),
    updatedAt: Date.parse(node.updatedAt),
    draft: node.isDraft,
    fromFork: node.isCrossRepository,
    mergesCleanly: cleanness.get(node.mergeable) ?? null,
    isBlocked: node.mergeStateStatus === "BLOCKED",
    isBehind: node.mergeStateStatus === "BEHIND",
    ...placeIn(node),
  };
}

function mergedAs({
  state,
  mergeCommit,
}: PullRequestNode): Pick<ReadPullRequest, "mergedSha" | "mergedTree"> {
  if (state !== "MERGED" || !mergeCommit) return { mergedSha: null };
  return { mergedSha: mergeCommit.oid, mergedTree: mergeCommit.tree.oid };
}

/** The login as in REST: with the ending `[bot]` for bots, and `ghost` for deleted accounts. */
function loginOf(author: PullRequestNode["author"]): string {
  if (author === null) return ghost;
  return author.__typename === "Bot" ? `${author.login}[bot]` : author.login;
}

import type { GraphqlResponseError } from "@octokit/graphql";
import type { Octokit } from "@octokit/rest";
import * as z from "zod";
import type { StackPlace } from "../../engine/reasons/objection.ts";
import { askPresent } from "../client/ask-present.ts";

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
 * Queries like `askPresent`, and includes the fields about stacks if GitHub knows them.
 *
 * @param queryWith builds the query with further fields of `PullRequest`
 */
export async function askWithStacks<T>(
  octokit: Octokit,
  queryWith: (fields: string) => string,
  variables: { owner: string; repo: string },
  shape: z.ZodType<T>,
): Promise<T | null> {
  const noteUnknown = (error: GraphqlResponseError<unknown>) => {
    if (isAboutStacks(error)) withoutStacks.add(octokit);
  };
  if (!withoutStacks.has(octokit)) {
    const answer = await askPresent(octokit, queryWith(fields), variables, shape, noteUnknown);
    if (!withoutStacks.has(octokit)) return answer;
  }
  return askPresent(octokit, queryWith(""), variables, shape);
}

const isAboutStacks = ({ errors }: GraphqlResponseError<unknown>): boolean =>
  (errors ?? []).some(({ message }) => /\bstack(Entry)?\b.* on type .PullRequest\b/.test(message));

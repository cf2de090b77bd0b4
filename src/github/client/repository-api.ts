import { GraphqlResponseError } from "@octokit/graphql";
import type { Octokit } from "@octokit/rest";
import * as z from "zod";
import { checkShape } from "./check-answers.ts";
import { statusOf } from "./code-host-error.ts";

/** A repository, by the names of GitHub's API. */
export interface Repository {
  readonly owner: string;
  readonly repo: string;
}

/** GitHub's API, as an installation of the App may use it in one repository. */
export interface RepositoryApi {
  readonly octokit: Octokit;
  readonly at: Repository;
}

/** A GraphQL query for fields of a repository. */
export interface RepositoryQuery<T> {
  /** Declares further variables: `$number: Int!`. */
  readonly variables?: string;
  readonly fields: string;
  /** The fragments that the fields use. */
  readonly fragments?: string;
  /** The shape of the fields. */
  readonly shape: z.ZodType<T>;
}

/** Asks for fields of the pull request `$number`. */
export function pullRequestQuery<T>(fields: string, shape: z.ZodType<T>, variables = "") {
  return {
    variables: `$number: Int! ${variables}`,
    fields: `pullRequest(number: $number) { ${fields} }`,
    shape: z.object({ pullRequest: shape }),
  };
}

/** Asks for fields of several pull requests, each under the name `p<its number>`; null: it does not exist. */
export function pullRequestsQuery<T>(numbers: readonly number[], fields: string, shape: z.ZodType<T>) {
  return {
    fields: numbers.map((number) => `p${number}: pullRequest(number: ${number}) { ...facts }`).join(" "),
    fragments: `fragment facts on PullRequest { ${fields} }`,
    shape: z.record(z.string(), shape.nullable()).nullable(),
  };
}

export function textOf({ variables = "", fields, fragments = "" }: RepositoryQuery<unknown>): string {
  return `query ($owner: String!, $repo: String!, ${variables}) {
    repository(owner: $owner, name: $repo) { ${fields} }
  } ${fragments}`;
}

/** Returns the fields. Errors in the response are thrown as Octokit's `GraphqlResponseError`. */
export async function askGraphql<T>(
  { octokit, at }: RepositoryApi,
  query: RepositoryQuery<T>,
  variables: Readonly<Record<string, unknown>> = {},
): Promise<T> {
  return checkedFields(query, await octokit.graphql(textOf(query), { ...at, ...variables }));
}

function checkedFields<T>({ shape }: RepositoryQuery<T>, answer: unknown): T {
  checkShape(z.object({ repository: shape }), answer, "POST /graphql");
  return (answer as { repository: T }).repository;
}

/**
 * Queries several objects inside a repository. Objects that do not exist are null in the result; their fields never are because of an
 * error. The whole result is null if GraphQL refuses the query; REST may still allow it.
 */
export async function tryGraphql<T>(
  api: RepositoryApi,
  query: RepositoryQuery<T>,
  variables: Readonly<Record<string, unknown>> = {},
  onRefusal: (error: GraphqlResponseError<unknown>) => void = () => {},
): Promise<T | null> {
  try {
    return await askGraphql(api, query, variables);
  } catch (error) {
    if (!(error instanceof GraphqlResponseError)) throw error;
    const isOnlyAbsent = (error.errors ?? []).every(
      ({ type, path }) => type === "NOT_FOUND" && isObjectIn(path),
    );
    if (isOnlyAbsent) return checkedFields(query, error.data);
    onRefusal(error);
    return null;
  }
}

/** Reads the git objects of expressions such as `main:src`, in the same order; null: there is no such object. */
export async function askObjects<T>(
  api: RepositoryApi,
  expressions: readonly string[],
  fields: string,
  shape: z.ZodType<T>,
): Promise<(T | null)[]> {
  const names = expressions.map((_, index) => `at${index}`);
  const query = {
    variables: names.map((name) => `$${name}: String!`).join(", "),
    fields: names.map((name) => `${name}: object(expression: $${name}) { ${fields} }`).join(" "),
    shape: z.object(Object.fromEntries(names.map((name) => [name, shape.nullable()]))),
  };
  const found = await askGraphql(
    api,
    query,
    Object.fromEntries(names.map((name, at) => [name, expressions[at]])),
  );
  return names.map((name) => found[name] ?? null);
}

/** Whether the path is that of an object inside the repository, and not of a field of it. */
const isObjectIn = (path: readonly unknown[] | undefined): boolean => path?.length === 2;

/** Returns the answer of a call; null when GitHub says that there is nothing. */
export async function nullIfNotFound<T>(call: Promise<{ data: T }>): Promise<T | null> {
  try {
    return (await call).data;
  } catch (error) {
    if (statusOf(error) === 404) return null;
    throw error;
  }
}

import { GraphqlResponseError } from "@octokit/graphql";
import type { Octokit } from "@octokit/rest";
import type * as z from "zod";
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

/**
 * Runs a GraphQL query, and returns the data if it has the shape. Errors in the response are thrown as Octokit's
 * `GraphqlResponseError`.
 */
export async function askGraphql<T>(
  octokit: Octokit,
  query: string,
  variables: Record<string, unknown>,
  shape: z.ZodType<T>,
): Promise<T> {
  const data = await octokit.graphql<T>(query, variables);
  checkShape(shape, data, "POST /graphql");
  return data;
}

/**
 * Queries several objects inside a repository. Objects that do not exist are null in the result; their fields never are because of an error. The whole result is null if
 * GraphQL refuses the query; REST may still allow it.
 */
export async function askPresent<T>(
  octokit: Octokit,
  query: string,
  variables: { owner: string; repo: string },
  shape: z.ZodType<T>,
  onRefusal: (error: GraphqlResponseError<unknown>) => void = () => {},
): Promise<T | null> {
  try {
    return await askGraphql(octokit, query, variables, shape);
  } catch (error) {
    if (!(error instanceof GraphqlResponseError)) throw error;
    const isOnlyAbsent = (error.errors ?? []).every(
      ({ type, path }) => type === "NOT_FOUND" && isObjectIn(path),
    );
    if (!isOnlyAbsent) {
      onRefusal(error);
      return null;
    }
    checkShape(shape, error.data, "POST /graphql");
    return error.data as T;
  }
}

/** Whether the path is that of an object inside the repository, and not of a field of it. */
const isObjectIn = (path: readonly unknown[] | undefined): boolean => path?.length === 2;

/** Returns the answer of a call; null when GitHub says that there is nothing. */
export async function orNull<T>(call: Promise<{ data: T }>): Promise<T | null> {
  try {
    return (await call).data;
  } catch (error) {
    if (statusOf(error) === 404) return null;
    throw error;
  }
}

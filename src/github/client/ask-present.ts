import { GraphqlResponseError } from "@octokit/graphql";
import type { Octokit } from "@octokit/rest";
import type * as z from "zod";
import { checkShape } from "../checks/check-answers.ts";
import { askGraphql } from "./ask-graphql.ts";

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

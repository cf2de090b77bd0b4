import type { Octokit } from "@octokit/rest";
import type * as z from "zod";
import { checkShape } from "../checks/check-answers.ts";

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

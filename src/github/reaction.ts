import type { Octokit } from "@octokit/rest";
import * as z from "zod";
import type { Reaction } from "../ports/code-host.ts";
import { askGraphql } from "./ask-graphql.ts";

const mutation = `mutation ($input: AddReactionInput!) { addReaction(input: $input) { clientMutationId } }`;
const doneShape = z.object({ addReaction: z.object({}) });
const contents = { thumbs_up: "THUMBS_UP", confused: "CONFUSED" } as const;

/**
 * By GraphQL, whose budget is its own: by REST a reaction would be one of the fifteen calls of its pull request.
 * https://docs.github.com/en/graphql/reference/mutations#addreaction
 */
export async function react(octokit: Octokit, subjectId: string, reaction: Reaction): Promise<void> {
  await askGraphql(octokit, mutation, { input: { subjectId, content: contents[reaction] } }, doneShape);
}

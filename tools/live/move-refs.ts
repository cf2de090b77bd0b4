import { GraphqlResponseError } from "@octokit/graphql";
import type { Scene } from "./scene.ts";

interface RefMove {
  readonly branch: string;
  /** The commit where the branch must be; null = the branch must not exist. Absent = it is not checked. */
  readonly from?: string | null;
  /** Null = delete the branch. */
  readonly to: string | null;
  readonly force?: boolean;
}

const nowhere = "0".repeat(40);
const mutation = `mutation ($input: UpdateRefsInput!) { updateRefs(input: $input) { clientMutationId } }`;

/** Builds the input of `updateRefs`. */
export async function updateRefsInput({ github, at }: Scene, moves: readonly RefMove[]) {
  const { data } = await github.rest.repos.get({ ...at });
  const refUpdates = moves.map(({ branch, from, to, force = false }) => ({
    name: `refs/heads/${branch}`,
    afterOid: to ?? nowhere,
    ...(from === undefined ? {} : { beforeOid: from ?? nowhere }),
    force,
  }));
  return { repositoryId: data.node_id, refUpdates };
}

/** Returns `moved`, or the types of the GraphQL errors. */
export async function moveRefs(scene: Scene, moves: readonly RefMove[]): Promise<string> {
  const input = await updateRefsInput(scene, moves);
  try {
    await scene.github.graphql(mutation, { input });
    return "moved";
  } catch (error) {
    if (!(error instanceof GraphqlResponseError)) throw error;
    return `refused: ${(error.errors ?? []).map(({ type }) => type ?? "no type").join(", ")}`;
  }
}

import * as z from "zod";
import type { ForkClaim } from "../../service/queues/fork-runs.ts";
import { byNumber, headSha } from "./pull-request.ts";
import { branchName } from "./queue-address.ts";
import { repository } from "./repository.ts";

// Unknown fields are dropped here and refused by the endpoint: the sender has to prove its run before it is told about fields.
const claimedRepository = repository.strip();
const claimedPullRequest = byNumber.strip();

/** Extracts from a body the facts that a fork's run has to prove, by endpoint. */
export const forkClaims = {
  setImpactedTargets: z
    .object({
      repo: claimedRepository,
      targetBranch: branchName,
      pr: claimedPullRequest.extend({ sha: headSha }),
    })
    .transform(
      ({ repo, targetBranch: branch, pr }): ForkClaim => ({ repo, branch, pr: pr.number, headSha: pr.sha }),
    ),
  uploadTestResults: z
    .object({
      repo: claimedRepository,
      kind: z.enum(["pr", "unknown"], {
        error: "must be pr, or unknown: a fork's run speaks for nothing else",
      }),
      pr: claimedPullRequest,
      head_sha: headSha,
    })
    .transform(
      ({ repo, pr, head_sha }): ForkClaim => ({ repo, branch: null, pr: pr.number, headSha: head_sha }),
    ),
} as const;

export type ForkEndpoint = keyof typeof forkClaims;

export function isForkEndpoint(name: string): name is ForkEndpoint {
  return Object.hasOwn(forkClaims, name);
}

import * as z from "zod";
import type { ForkClaim } from "../../service/access/fork-runs.ts";
import { byNumber, headSha } from "./pull-request.ts";
import { queueAddress } from "./queue-address.ts";
import { repository } from "./repository.ts";

/** Extracts from a body the facts that a fork's run has to prove, by endpoint. */
export const forkClaims = {
  setImpactedTargets: queueAddress
    .extend({ pr: byNumber.extend({ sha: headSha }) })
    .transform(
      ({ repo, targetBranch: branch, pr }): ForkClaim => ({ repo, branch, pr: pr.number, headSha: pr.sha }),
    ),
  uploadTestResults: z
    .object({
      repo: repository,
      kind: z.enum(["pr", "unknown"], {
        error: "must be pr, or unknown: a fork's run speaks for nothing else",
      }),
      pr: byNumber,
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

import { nameKey } from "../../engine/model/names.ts";
import type { WorkflowIdentity } from "../../ports/code-host/app.ts";
import type { TokenScope } from "../../store/access/token-store.ts";
import type { Principal } from "./token-service.ts";

/**
 * The scopes of a workflow in its repository. Of the endpoints with these scopes, only those that declare it
 * accept a workflow's token.
 */
const scopes: readonly TokenScope[] = ["submit", "tests:upload"];

export function workflowPrincipal({ subject, workflow, repository, sha, ref }: WorkflowIdentity): Principal {
  return {
    kind: "workflow",
    id: subject,
    name: workflow,
    organisation: nameKey(repository.owner),
    repository: nameKey(`${repository.owner}/${repository.name}`),
    scopes,
    mayActForOthers: false,
    checkout: { sha, ref },
  };
}

/**
 * Whether a workflow runs on the head of a pull request. For `pull_request`, GitHub checks out the test
 * merge, so the token contains no head SHA. It contains the pull request's number, in the ref of that merge.
 */
export function runsOn({ sha, ref }: NonNullable<Principal["checkout"]>, pr: number, head: string): boolean {
  return sha === head || ref === `refs/pull/${pr}/merge` || ref === `refs/pull/${pr}/head`;
}

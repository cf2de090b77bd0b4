import type { Claim } from "./claim.ts";
import { mergeMessageClaims } from "./claims/merge-messages.ts";
import { branchMergeClaims, mergeClaims } from "./claims/merges.ts";
import { permissionClaims } from "./claims/permissions.ts";
import { commentClaims, pullRequestClaims } from "./claims/pull-requests.ts";
import { refClaims, updateRefClaims } from "./claims/refs.ts";
import { reportClaims, workflowClaims } from "./claims/reports.ts";
import { requestClaims } from "./claims/requests.ts";
import { branchRuleClaims, bypassClaims, mergeRuleClaims } from "./claims/rules.ts";

/** Every claim. The claims on which correct merges depend come first. */
export const allClaims: readonly Claim[] = [
  ...updateRefClaims,
  ...mergeClaims,
  ...branchMergeClaims,
  ...refClaims,
  ...mergeMessageClaims,
  ...pullRequestClaims,
  ...requestClaims,
  ...permissionClaims,
  ...reportClaims,
  ...commentClaims,
  ...mergeRuleClaims,
  ...branchRuleClaims,
  ...workflowClaims,
  ...bypassClaims,
];

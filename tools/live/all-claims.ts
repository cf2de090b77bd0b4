import type { Claim } from "./claim.ts";
import { branchMergeClaims } from "./claims/branch-merges.ts";
import { branchRuleClaims } from "./claims/branch-rules.ts";
import { bypassClaims } from "./claims/bypass.ts";
import { commentClaims } from "./claims/comments.ts";
import { mergeMessageClaims } from "./claims/merge-messages.ts";
import { mergeRuleClaims } from "./claims/merge-rules.ts";
import { mergeClaims } from "./claims/merges.ts";
import { permissionClaims } from "./claims/permissions.ts";
import { pullRequestClaims } from "./claims/pull-requests.ts";
import { refClaims } from "./claims/refs.ts";
import { reportClaims } from "./claims/reports.ts";
import { requestClaims } from "./claims/requests.ts";
import { updateRefClaims } from "./claims/update-refs.ts";
import { workflowClaims } from "./claims/workflows.ts";

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

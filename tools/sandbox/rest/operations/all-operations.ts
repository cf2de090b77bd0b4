import type { Handlers } from "../operation.ts";
import { appOperations, hookDeliveryOperations } from "./apps.ts";
import { branchOperations } from "./branches.ts";
import { checkOperations, statusOperations } from "./checks.ts";
import { commitOperations } from "./commits.ts";
import { contentOperations } from "./contents.ts";
import { gitObjectOperations, refOperations } from "./git.ts";
import { issueCommentOperations } from "./issue-comments.ts";
import { issueLabelOperations, issueOperations } from "./issues.ts";
import { asyncMergeOperations, mergeOperations } from "./merges.ts";
import { pullContentOperations } from "./pull-contents.ts";
import { pullOperations } from "./pulls.ts";
import { activityOperations, repositoryOperations, userOperations } from "./repositories.ts";
import { rulesetOperations } from "./rulesets.ts";
import { workflowRunOperations } from "./workflow-runs.ts";

/** Every operation that the sandbox implements, by operation id. */
export const allOperations: Required<Handlers> = {
  ...activityOperations,
  ...appOperations,
  ...asyncMergeOperations,
  ...branchOperations,
  ...checkOperations,
  ...commitOperations,
  ...contentOperations,
  ...gitObjectOperations,
  ...hookDeliveryOperations,
  ...issueCommentOperations,
  ...issueLabelOperations,
  ...issueOperations,
  ...mergeOperations,
  ...pullContentOperations,
  ...pullOperations,
  ...refOperations,
  ...repositoryOperations,
  ...rulesetOperations,
  ...statusOperations,
  ...userOperations,
  ...workflowRunOperations,
};

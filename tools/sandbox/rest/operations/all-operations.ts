import type { Handlers } from "../operation.ts";
import { activityOperations } from "./activities.ts";
import { appOperations } from "./apps.ts";
import { asyncMergeOperations } from "./async-merges.ts";
import { branchOperations } from "./branches.ts";
import { checkOperations } from "./checks.ts";
import { commitOperations } from "./commits.ts";
import { contentOperations } from "./contents.ts";
import { gitObjectOperations } from "./git-objects.ts";
import { hookDeliveryOperations } from "./hook-deliveries.ts";
import { issueCommentOperations } from "./issue-comments.ts";
import { issueLabelOperations } from "./issue-labels.ts";
import { issueOperations } from "./issues.ts";
import { mergeOperations } from "./merges.ts";
import { pullContentOperations } from "./pull-contents.ts";
import { pullOperations } from "./pulls.ts";
import { refOperations } from "./refs.ts";
import { repositoryOperations } from "./repositories.ts";
import { rulesetOperations } from "./rulesets.ts";
import { statusOperations } from "./statuses.ts";
import { userOperations } from "./users.ts";
import { workflowRunOperations } from "./workflow-runs.ts";

/** Every operation that the sandbox implements, by operation id. */
export const allOperations: Handlers = {
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

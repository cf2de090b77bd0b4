import { appExaminations } from "./app.ts";
import { baseRuleExaminations } from "./base-rules.ts";
import type { Examination } from "./finding.ts";
import { mergeMethodExaminations } from "./merge-method.ts";
import { ownBranchExaminations } from "./own-branch-rules.ts";
import { requiredCheckExaminations } from "./required-checks.ts";
import { surroundingExaminations } from "./surroundings.ts";
import { webhookExaminations } from "./webhooks.ts";
import { workflowExaminations } from "./workflows.ts";

/** All examinations of `doctor`. */
export const allExaminations: readonly Examination[] = [
  ...appExaminations,
  ...webhookExaminations,
  ...baseRuleExaminations,
  ...mergeMethodExaminations,
  ...ownBranchExaminations,
  ...requiredCheckExaminations,
  ...workflowExaminations,
  ...surroundingExaminations,
];

const aboutRepository = new Set([
  ...["repository", "protection", "rules", "required", "workflows", "repositoryFile", "pushed", "obstacles"],
]);

/**
 * The examinations when a queue is created or its settings change: of the repository only, with few calls.
 */
export const queueExaminations: readonly Examination[] = allExaminations
  .filter(({ needs }) => needs.length > 0 && needs.every((name) => aboutRepository.has(name)))
  .map((one) => ({ ...one, uses: [] }));

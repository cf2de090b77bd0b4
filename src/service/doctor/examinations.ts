import { appExaminations } from "./app.ts";
import { baseRuleExaminations } from "./base-rules.ts";
import type { Examination } from "./finding.ts";
import { mergeMethodExaminations } from "./merge-method.ts";
import { ownBranchExaminations } from "./own-branch-rules.ts";
import { requiredCheckExaminations } from "./required-checks.ts";
import { surroundingExaminations } from "./surroundings.ts";
import { webhookExaminations } from "./webhooks.ts";
import { workflowExaminations } from "./workflows.ts";

/** Everything that `doctor` looks at. */
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
  ...["repository", "protection", "rules", "workflows", "repositoryFile", "pushed"],
]);

/** What is looked at when a queue is made or its settings change: the repository alone, by few calls. */
export const queueExaminations: readonly Examination[] = allExaminations
  .filter(({ needs }) => needs.every((name) => aboutRepository.has(name)))
  .map((one) => ({ ...one, uses: [] }));

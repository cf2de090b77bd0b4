import { judgeRepositoryFile } from "../../command/parse-repository-file.ts";
import { adviseOn } from "../../engine/reasons/refusal-cause.ts";
import { asSentence, capitalised } from "../../engine/reasons/sentence.ts";
import type { RuleFact } from "../../ports/code-host/doctor-facts.ts";
import { examination } from "./finding.ts";
import { bindingRules, describeRules, pageOf, weigh } from "./rule.ts";

/** The beginning and the end that all messages of a kind have. */
interface MessageShape {
  readonly start: string;
  readonly end: string;
}

/** GitHub's own message for merge commits. */
const mergeCommit: MessageShape = { start: "Merge pull request #", end: "" };
/** The messages on scratch branches (`github/test-commits/commit-message.ts`). */
const scratch: MessageShape = { start: "Trial ", end: "[skip ci]" };

/** Whether messages of this shape obey a rule about messages; null: it depends on the rest of each message. */
function obey({ parameters }: RuleFact, shape: MessageShape): boolean | null {
  const { operator, pattern, negate } = parameters;
  const found = typeof pattern === "string" ? contain(String(operator), pattern, shape) : null;
  return found === null ? null : found !== (negate === true);
}

function contain(operator: string, pattern: string, { start, end }: MessageShape): boolean | null {
  switch (operator) {
    case "starts_with":
      return start.startsWith(pattern) || (pattern.startsWith(start) ? null : false);
    case "ends_with":
      return end.endsWith(pattern) || (pattern.endsWith(end) ? null : false);
    case "contains":
      return start.includes(pattern) || end.includes(pattern) || null;
    default:
      // GitHub's regular expressions use RE2 syntax. JavaScript's engine may take exponential time on them.
      return null;
  }
}

export const refusesScratchMessages = (rule: RuleFact): boolean =>
  rule.type === "commit_message_pattern" && obey(rule, scratch) === false;

export const commitMessagesRestricted = examination(
  "COMMIT_MESSAGES_RESTRICTED",
  ["rules", "repository", "repositoryFile"],
  ({ rules, repository, repositoryFile }, { mergeMethod }) => {
    const file = judgeRepositoryFile(repositoryFile);
    const isOwn = repository.hasMergeTitle && !(file.ok && file.file.commitTitle !== undefined);
    // Other messages begin with what authors write.
    if (mergeMethod !== "merge_commit" || !isOwn) return null;
    const found = bindingRules(rules?.base ?? [], ["commit_message_pattern"], "merge");
    const broken = found.filter((rule) => obey(rule, mergeCommit) === false);
    const unclear = found.filter(
      (rule) => obey(rule, mergeCommit) === null && !/merge/i.test(String(rule.parameters.pattern)),
    );
    if (broken.length === 0 && unclear.length === 0) return null;
    return {
      ...(broken.length > 0 ? weigh(broken, "merge") : { severity: "warning" as const }),
      title: "A rule about commit messages applies to the queue's merge commits",
      cause: `The message of every merge commit begins with "${mergeCommit.start}". If it breaks the rule, GitHub refuses every merge.`,
      evidence: describeRules(broken.length > 0 ? broken : unclear),
      fix: {
        text: asSentence(capitalised(adviseOn("COMMIT_MESSAGE_RULE", true))),
        url: pageOf(broken.length > 0 ? broken : unclear, repository),
      },
    };
  },
);

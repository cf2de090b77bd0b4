import { adviseOn } from "../../engine/reasons/refusal-cause.ts";
import { asSentence, capitalised } from "../../engine/reasons/sentence.ts";
import type { OwnBranchNames, RuleFact, RulesFact } from "../../ports/code-host/doctor-facts.ts";
import { refusesScratchMessages } from "./commit-messages.ts";
import { examination, list } from "./finding.ts";
import { bindingRules, describeRules, pageOf, weigh } from "./rule.ts";

/** Findings about the branches that the queue creates: their rules, and their names. */

const prefixes = ({ test, scratch }: OwnBranchNames) => `${test} or ${scratch}`;
const rulesOfOwn = (rules: RulesFact): RuleFact[] => (rules ? [...rules.test, ...rules.scratch] : []);

const notCreatable = examination(
  "OWN_BRANCHES_NOT_CREATABLE",
  ["rules", "repository"],
  ({ rules, repository }, { ownBranches }) => {
    const found = bindingRules(rulesOfOwn(rules), ["creation"], "ref");
    if (found.length === 0) return null;
    return {
      ...weigh(found, "ref"),
      title: "The queue may not create its branches",
      cause: `Each test needs a branch such as ${prefixes(ownBranches)}.`,
      evidence: describeRules(found),
      fix: { text: asSentence(capitalised(adviseOn("CREATION_RESTRICTED"))), url: pageOf(found, repository) },
    };
  },
);

const namesRefused = examination(
  "OWN_BRANCH_NAMES_REFUSED",
  ["rules", "repository"],
  ({ rules, repository }, { ownBranches }) => {
    const { test, scratch } = ownBranches;
    const patterns = (of: readonly RuleFact[], name: string) =>
      bindingRules(of, ["branch_name_pattern"], "ref").map((rule) => ({
        rule,
        name,
        fits: fits(rule, name),
      }));
    const judged = [...patterns(rules?.test ?? [], test), ...patterns(rules?.scratch ?? [], scratch)];
    const found = judged.filter((one) => one.fits === false);
    if (found.length === 0)
      return judged.some((one) => one.fits === null)
        ? { unknown: "a rule about branch names has a pattern that Trainyard cannot parse" }
        : null;
    const broken = found.map(({ rule }) => rule);
    return {
      ...weigh(broken, "ref"),
      title: "A rule refuses the names of the queue's branches",
      cause: "Test branches cannot be created, so nothing can be tested.",
      evidence: found.map(({ rule, name }) => `${name} breaks ${describeRules([rule])}`).join("; "),
      fix: { text: asSentence(capitalised(adviseOn("BRANCH_NAME_RULE"))), url: pageOf(broken, repository) },
    };
  },
);

/** Null when the pattern is not understood. */
function fits({ parameters }: RuleFact, name: string): boolean | null {
  const { operator, pattern, negate } = parameters;
  if (typeof pattern !== "string") return null;
  const found = matches(String(operator), pattern, name);
  return found === null ? null : found !== (negate === true);
}

function matches(operator: string, pattern: string, name: string): boolean | null {
  switch (operator) {
    case "starts_with":
      return name.startsWith(pattern);
    case "ends_with":
      return name.endsWith(pattern);
    case "contains":
      return name.includes(pattern);
    default:
      // Not evaluated: GitHub's regular expressions use RE2 syntax, and JavaScript's engine may take exponential time on them.
      return null;
  }
}

/** These rules prevent testing. Those in `hindering` can cause failures or delays. */
const forbidding = ["update", "pull_request", "required_status_checks", "merge_queue", "non_fast_forward"];
const hindering = ["deletion", "required_signatures", "required_linear_history", "commit_message_pattern"];

const restricted = examination(
  "OWN_BRANCHES_RESTRICTED",
  ["rules", "repository"],
  ({ rules, repository }, { ownBranches, mergeMethod }) => {
    const types = [...forbidding, ...hindering];
    const found = bindingRules(rulesOfOwn(rules), types, "ref");
    if (found.length === 0) return null;
    // Each test begins with a merge commit on a scratch branch. A rebased commit keeps its author, so GitHub does not sign it.
    const onScratch = bindingRules(rules?.scratch ?? [], types, "ref").filter(
      (rule) =>
        [...forbidding, "required_linear_history"].includes(rule.type) || refusesScratchMessages(rule),
    );
    const onTests = bindingRules(rules?.test ?? [], types, "ref").filter(
      ({ type }) =>
        forbidding.includes(type) ||
        (type === "required_linear_history" && mergeMethod === "merge_commit") ||
        (type === "required_signatures" && mergeMethod === "rebase"),
    );
    const { severity } = weigh([...onScratch, ...onTests], "ref");
    return {
      ...weigh(onScratch, "ref"),
      severity,
      title: "Rules for other branches also apply to the queue's branches",
      cause: `GitHub may refuse what the queue does with ${prefixes(ownBranches)}: create, move and delete them without a pull request.`,
      evidence: describeRules(found),
      fix: { text: asSentence(capitalised(adviseOn("OWN_BRANCH_RULE"))), url: pageOf(found, repository) },
    };
  },
);

const obstructed = examination(
  "OWN_BRANCH_OBSTRUCTED",
  ["obstacles", "repository"],
  ({ obstacles, repository }, { ownBranches }) =>
    obstacles.length === 0
      ? null
      : {
          severity: "error",
          title: "A branch is in the way of the queue's branches",
          cause: `Each test needs a branch such as ${prefixes(ownBranches)}, and git has no branch above or below the name of another one.`,
          evidence: list(obstacles),
          fix: {
            text: asSentence(capitalised(adviseOn("BRANCH_IN_THE_WAY"))),
            url: `${repository.url}/branches`,
          },
        },
);

export const ownBranchExaminations = [notCreatable, namesRefused, restricted, obstructed];

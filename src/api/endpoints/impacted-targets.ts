import * as z from "zod";
import type { TargetSource } from "../../engine/model/targets.ts";
import { runsOn } from "../../service/access/tokens.ts";
import type { TargetsOfHead } from "../../service/runtime/impacted-targets.ts";
import { refused } from "../../service/runtime/outcome.ts";
import { NamedTargets } from "../bodies/named-targets.ts";
import { parseAroundTargets } from "../bodies/read-targets.ts";
import { endpoint, presented } from "../endpoint.ts";

import { byNumber, headSha, queueAddress } from "../schema/addresses.ts";

import { textList } from "../schema/fields.ts";

const bounds = { maxItems: Number.POSITIVE_INFINITY, emptyItems: true, maxBytes: 4_096 };
/** A longer list would take too long to store and to compare. It counts as "ALL". */
const mostTargets = 1_000_000;
const isNamed = (input: unknown): input is NamedTargets => input instanceof NamedTargets;

/** The targets that a pull request impacts: opaque names, or all. Older clients write `IMPACTS_ALL` for "ALL". */
const impactedTargets = z
  .union([z.enum(["ALL", "IMPACTS_ALL"]).transform(() => "ALL" as const), textList(bounds, isNamed)], {
    error: (issue) => (issue.input === undefined ? undefined : 'must be a list of strings, or "ALL"'),
  })
  .transform((targets) =>
    targets === "ALL" || targets instanceof NamedTargets ? targets : NamedTargets.of(targets),
  )
  .describe(
    'Names of what the pull request impacts; "ALL" impacts every target, [] none. More than 1,000,000 different ones are taken as "ALL".',
  );

const targetedHead = headSha
  .optional()
  .describe(
    "The head that the targets are about. Default with an API token: the present head. Name it, or a push meanwhile gets the targets of the head before. All other senders must name it.",
  );

const answer = z.object({
  prNumber: z.int(),
  prSha: z.string().describe("The head that the targets are stored for."),
  targetsCount: z
    .union([z.int(), z.literal("ALL")])
    .describe("How many different targets are stored for this head, from all sources."),
  reason: z
    .literal("ADDED_TO_TRUSTED")
    .optional()
    .describe(
      "Absent: exactly this upload is stored. ADDED_TO_TRUSTED: targets for this head were posted with a token before, and this upload of a fork's run without a token was added to them.",
    ),
  warnings: z.array(z.string()).optional().describe("What was not stored as sent, and why."),
});

export const setImpactedTargets = endpoint(
  {
    summary:
      "Stores the targets that one head of a pull request impacts. An upload with a token replaces earlier ones; a fork's run without a token only adds to them.",
    scope: "submit",
    accepts: ["workflow", "fork_run"],
    parse: parseAroundTargets,
    body: queueAddress.extend({ pr: byNumber.extend({ sha: targetedHead }), impactedTargets }),
    answer,
  },
  async ({ repo, targetBranch, pr, impactedTargets: sent }, { queues, principal }) => {
    const { checkout } = principal;
    if (checkout && (pr.sha === undefined || !runsOn(checkout, pr.number, pr.sha)))
      return refused({ code: "WORKFLOW_OF_OTHER_HEAD", pr: pr.number, ...checkout });
    const isTooMany = sent !== "ALL" && sent.counted.count > mostTargets;
    const targets: TargetsOfHead["targets"] = isTooMany || sent === "ALL" ? "ALL" : sent.counted;
    const names = sent === "ALL" ? [] : sent.names;
    const source: TargetSource = principal.kind === "fork_run" ? "fork" : "organisation";
    // GitHub has confirmed the head that a workflow runs on.
    const isProven = checkout !== null || source === "fork";
    const upload = {
      repo,
      branch: targetBranch,
      pr: pr.number,
      headSha: pr.sha ?? null,
      source,
      targets,
      names,
      isProven,
    };
    return presented(await queues.setImpactedTargets(upload), ({ headSha, count, isOnlyAdded }) => ({
      prNumber: pr.number,
      prSha: headSha,
      targetsCount: count,
      ...(isOnlyAdded ? { reason: "ADDED_TO_TRUSTED" as const } : {}),
      ...withWarnings([...(isTooMany ? [tooMany] : []), ...(isOnlyAdded ? [onlyAdded] : [])]),
    }));
  },
);

const tooMany = `More than ${mostTargets.toLocaleString("en")} different targets are taken as "ALL".`;
const onlyAdded =
  "What this head impacts was already said with an API token or a workflow's own token. An upload of a fork's run without a token only adds to that; to replace it, upload with a token.";

function withWarnings(warnings: string[]): { warnings?: string[] } {
  return warnings.length === 0 ? {} : { warnings };
}

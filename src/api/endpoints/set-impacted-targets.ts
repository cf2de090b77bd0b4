import * as z from "zod";
import { refused } from "../../service/outcome.ts";
import { runsOn } from "../../service/workflow-principal.ts";
import { endpoint } from "../endpoint.ts";
import { presented } from "../presented.ts";
import { parseAroundTargets } from "../read-targets.ts";
import { impactedTargets } from "../schema/impacted-targets.ts";
import { byNumber, headSha } from "../schema/pull-request.ts";
import { queueAddress } from "../schema/queue-address.ts";

const answer = z.object({
  prNumber: z.int(),
  prSha: z.string(),
  targetsCount: z
    .union([z.int(), z.literal("ALL")])
    .describe("How many different targets are stored for this head."),
});

export const setImpactedTargets = endpoint(
  {
    summary:
      "Stores what a pull request impacts. It holds for one head; the last upload for that head counts.",
    scope: "submit",
    accepts: ["workflow", "fork_run"],
    parse: parseAroundTargets,
    body: queueAddress.extend({ pr: byNumber.extend({ sha: headSha }), impactedTargets }),
    answer,
  },
  async ({ repo, targetBranch, pr, impactedTargets: targets }, { queues, principal }) => {
    const { checkout } = principal;
    if (checkout && !runsOn(checkout, pr.number, pr.sha))
      return refused({ code: "WORKFLOW_OF_OTHER_HEAD", pr: pr.number, ...checkout });
    const upload = { repo, branch: targetBranch, pr: pr.number, headSha: pr.sha, targets };
    return presented(await queues.setImpactedTargets(upload), ({ count }) => ({
      prNumber: pr.number,
      prSha: pr.sha,
      targetsCount: count,
    }));
  },
);

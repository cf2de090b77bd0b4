import { endpoint } from "../../endpoint.ts";
import { presentExplanation } from "../../present/present-entry.ts";
import { presented } from "../../present/presented.ts";
import { explanation } from "../../schema/entry-answer.ts";
import { byNumberOrBranch } from "../../schema/pull-request.ts";
import { queueAddress } from "../../schema/queue-address.ts";

export const explainPullRequest = endpoint(
  {
    summary: "Explains why a pull request is in its state, beginning with the outermost cause.",
    scope: "read",
    body: queueAddress.extend({ pr: byNumberOrBranch }),
    answer: explanation,
  },
  async ({ repo, targetBranch, pr }, { queues }) =>
    presented(await queues.readEntry({ repo, branch: targetBranch, ...pr }), presentExplanation),
);

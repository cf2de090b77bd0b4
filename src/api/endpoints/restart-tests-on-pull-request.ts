import { tokenOf } from "../acting-for.ts";
import { endpoint } from "../endpoint.ts";
import { presentEntry } from "../present-entry.ts";
import { presented } from "../presented.ts";
import { entryAnswer } from "../schema/entry-answer.ts";
import { byNumber } from "../schema/pull-request.ts";
import { queueAddress } from "../schema/queue-address.ts";

export const restartTestsOnPullRequest = endpoint(
  {
    summary: "Tests a queued pull request again, and those whose tests contain it. It keeps its place.",
    scope: "submit",
    body: queueAddress.extend({ pr: byNumber }),
    answer: entryAnswer,
  },
  async ({ repo, targetBranch, pr }, { queues, principal }) => {
    const actor = tokenOf(principal);
    return presented(
      await queues.restart({ repo, branch: targetBranch, pr: pr.number, actor }),
      presentEntry,
    );
  },
);

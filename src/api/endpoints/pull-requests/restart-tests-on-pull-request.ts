import { actingFor } from "../../access/acting-for.ts";
import { endpoint } from "../../endpoint.ts";
import { presentEntry } from "../../present/present-entry.ts";
import { presented } from "../../present/presented.ts";
import { entryAnswer } from "../../schema/entry-answer.ts";
import { onBehalf } from "../../schema/on-behalf.ts";
import { byNumber } from "../../schema/pull-request.ts";
import { queueAddress } from "../../schema/queue-address.ts";

export const restartTestsOnPullRequest = endpoint(
  {
    summary: "Tests a queued pull request again, with those whose tests contain it. It keeps its place.",
    scope: "submit",
    body: queueAddress.extend({ pr: byNumber, ...onBehalf }),
    answer: entryAnswer,
  },
  async ({ repo, targetBranch, pr, ...body }, { queues, principal }) => {
    const { actor } = actingFor(principal, body);
    return presented(
      await queues.restart({ repo, branch: targetBranch, pr: pr.number, actor }),
      presentEntry,
    );
  },
);

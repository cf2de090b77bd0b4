import { actingFor } from "../../access/acting-for.ts";
import { endpoint } from "../../endpoint.ts";
import { presentEntry } from "../../present/present-entry.ts";
import { presented } from "../../present/presented.ts";
import { entryAnswer } from "../../schema/entry-answer.ts";
import { onBehalf } from "../../schema/on-behalf.ts";
import { byNumber } from "../../schema/pull-request.ts";
import { queueAddress } from "../../schema/queue-address.ts";

export const cancelPullRequest = endpoint(
  {
    summary: "Removes a pull request from the queue. If it has already ended, it is answered as it ended.",
    scope: "submit",
    body: queueAddress.extend({ pr: byNumber, ...onBehalf }),
    answer: entryAnswer,
  },
  async ({ repo, targetBranch, pr, ...body }, { queues, principal }) => {
    const address = { repo, branch: targetBranch, pr: pr.number };
    return presented(await queues.cancel({ ...address, ...actingFor(principal, body) }), presentEntry);
  },
);

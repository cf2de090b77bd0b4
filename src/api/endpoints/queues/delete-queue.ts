import * as z from "zod";
import { tokenOf } from "../../access/acting-for.ts";
import { endpoint } from "../../endpoint.ts";
import { presented } from "../../present/presented.ts";
import { queueAddress } from "../../schema/queue-address.ts";

const answer = z.object({ deleted: z.boolean().describe("False when there was no such queue.") });

export const deleteQueue = endpoint(
  {
    summary: "Deletes an empty queue. A queue that does not exist counts as deleted.",
    scope: "queue:admin",
    body: queueAddress,
    answer,
  },
  async ({ repo, targetBranch }, { queues, principal }) => {
    const outcome = await queues.deleteQueue({ repo, branch: targetBranch, actor: tokenOf(principal) });
    return presented(outcome, (result) => ({ deleted: result === "deleted" }));
  },
);

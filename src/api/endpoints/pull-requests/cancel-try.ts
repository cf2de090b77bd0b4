import * as z from "zod";
import { actingFor } from "../../access/acting-for.ts";
import { endpoint } from "../../endpoint.ts";
import { presented } from "../../present/presented.ts";
import { onBehalf } from "../../schema/on-behalf.ts";
import { byNumber } from "../../schema/pull-request.ts";
import { queueAddress } from "../../schema/queue-address.ts";

export const cancelTry = endpoint(
  {
    summary: "Ends the try of a pull request. Without a try, nothing happens.",
    scope: "submit",
    body: queueAddress.extend({ pr: byNumber, ...onBehalf }),
    answer: z.object({ cancelled: z.boolean().describe("Whether there was a try to end.") }),
  },
  async ({ repo, targetBranch, pr, ...body }, { queues, principal }) => {
    const request = { repo, branch: targetBranch, pr: pr.number, ...actingFor(principal, body) };
    return presented(await queues.cancelTry(request), (cancelled) => ({ cancelled }));
  },
);

import * as z from "zod";
import { endpoint } from "../../endpoint.ts";
import { presentDiagnosis } from "../../present/present-diagnosis.ts";
import { presented } from "../../present/presented.ts";
import { finding, unexamined } from "../../schema/finding.ts";
import { queueAddress } from "../../schema/queue-address.ts";

const described = endpoint(
  {
    summary:
      "Finds what prevents a queue from working properly. The branch does not need to have a queue yet.",
    scope: "queue:admin",
    body: queueAddress,
    answer: z.object({
      findings: z.array(finding).describe("The most severe first; empty when nothing is wrong."),
      unexamined: z.array(unexamined).describe("What could not be examined, and why."),
    }),
  },
  async ({ repo, targetBranch }, { doctor }) =>
    presented(await doctor.examine({ repo, branch: targetBranch }), presentDiagnosis),
);

/** It requires `queue:admin`, but changes nothing. */
export const examineQueue = { ...described, kind: "question" as const };

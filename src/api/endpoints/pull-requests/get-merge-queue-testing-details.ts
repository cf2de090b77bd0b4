import * as z from "zod";
import { endpoint } from "../../endpoint.ts";
import { presentDetailedRun, presentTesting } from "../../present/present-testing.ts";
import { presented } from "../../present/presented.ts";
import { queueAddress } from "../../schema/queue-address.ts";
import { testingDetails } from "../../schema/testing-details.ts";

/** The id at the end of a test branch's name. A bisection suffix after it is ignored. */
const testRunId = z
  .string()
  .regex(/^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}(-bisection.*)?$/, {
    error: "must be the id of a test run, the UUID that ends its branch's name",
  })
  .transform((text) => text.slice(0, 36).toLowerCase());

export const getMergeQueueTestingDetails = endpoint(
  {
    summary: "Reads the test runs in progress, or the result of one test run.",
    scope: "read",
    body: queueAddress.extend({
      testRunId: testRunId.optional().describe("The id of a test run. Default: all that are in progress."),
    }),
    answer: z.union([
      testingDetails,
      z.object({ testRuns: z.array(testingDetails).describe("The runs in progress, oldest first.") }),
    ]),
  },
  async ({ repo, targetBranch: branch, testRunId: runId }, { queues }) =>
    runId === undefined
      ? presented(await queues.readRuns({ repo, branch }), (runs) => ({ testRuns: runs.map(presentTesting) }))
      : presented(await queues.readRun({ repo, branch, runId }), presentDetailedRun),
);

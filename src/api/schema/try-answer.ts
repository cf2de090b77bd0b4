import * as z from "zod";
import { timestamp } from "./timestamp.ts";

/** A pull request that is tested without being queued. */
export const tryAnswer = z.object({
  prNumber: z.int(),
  prSha: z.string().describe("The head that is tried. A push ends the try."),
  state: z
    .enum(["waiting", "building", "testing"])
    .describe(
      "It waits for a slot that no queued pull request wants, its test commit is made, or CI is at work on it.",
    ),
  askedAt: timestamp,
  testRunId: z
    .string()
    .nullable()
    .describe(
      "`getMergeQueueTestingDetails` tells what comes of it. Null while it waits; another one when the try had to give up its slot.",
    ),
});

import * as z from "zod";
import { timestamp } from "./timestamp.ts";

/** A pull request that is tested without being queued. */
export const tryAnswer = z.object({
  prNumber: z.int(),
  prSha: z.string().describe("The head that is tried. A push ends the try."),
  state: z
    .enum(["waiting", "building", "testing"])
    .describe(
      "It waits for a slot that no queued pull request needs, its test commit is being created, or CI is running.",
    ),
  askedAt: timestamp,
  testRunId: z
    .string()
    .nullable()
    .describe(
      "`getMergeQueueTestingDetails` shows its result. Null while it waits. It changes if the try gives up its slot.",
    ),
});

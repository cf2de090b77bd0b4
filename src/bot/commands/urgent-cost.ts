import { type AnswerOf, ApiError } from "../../client/client.ts";
import type { BotParts } from "../parts.ts";
import { interruptionText } from "./answer-text.ts";
import type { QueueBody } from "./execute-command.ts";

type TestingDetails = Extract<AnswerOf<"getMergeQueueTestingDetails">, { testRunId: string }>;

/** Returns the test runs in flight. */
export async function runsUnderWay(
  { client }: BotParts,
  queue: QueueBody,
): Promise<readonly TestingDetails[]> {
  const answer = await client.getMergeQueueTestingDetails(queue);
  return "testRuns" in answer ? answer.testRuns : [answer];
}

/** Describes which of the earlier test runs an urgent pull request has interrupted, and what that costs. */
export async function costOf(
  parts: BotParts,
  queue: QueueBody,
  before: readonly TestingDetails[],
  entry: Pick<AnswerOf<"submitPullRequest">, "prNumber" | "state">,
): Promise<string> {
  const after = new Set((await runsUnderWay(parts, queue)).map(({ testRunId }) => testRunId));
  const ended = await Promise.all(
    before.filter(({ testRunId }) => !after.has(testRunId)).map((run) => reread(parts, queue, run)),
  );
  const interrupted = ended.flatMap((run) => (run?.status === "cancelled" ? [run] : []));
  return interruptionText(interrupted, after.size, entry);
}

async function reread(
  { client }: BotParts,
  queue: QueueBody,
  { testRunId }: TestingDetails,
): Promise<TestingDetails | null> {
  try {
    const answer = await client.getMergeQueueTestingDetails({ ...queue, testRunId });
    return "testRuns" in answer ? null : answer;
  } catch (error) {
    // Old runs are deleted after a while.
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}

import * as z from "zod";
import type { Try } from "../../engine/model/tries/try.ts";
import { actingFor, onBehalf } from "../access/on-behalf.ts";
import { endpoint, presented } from "../endpoint.ts";
import { byNumber, headSha, queueAddress } from "../schema/addresses.ts";
import { renderTimestamp, timestamp } from "../schema/fields.ts";

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

export function presentTry({ pr, headSha, askedAt, run }: Try): z.output<typeof tryAnswer> {
  return {
    prNumber: pr,
    prSha: headSha,
    state: run === null ? "waiting" : run.state === "building" ? "building" : "testing",
    askedAt: renderTimestamp(askedAt),
    testRunId: run?.id ?? null,
  };
}

const body = queueAddress.extend({
  pr: byNumber.extend({
    sha: headSha
      .optional()
      .describe("The expected head. If the pull request has another one, nothing is tried."),
  }),
  seenHead: headSha
    .optional()
    .describe(
      "The head of the pull request when the command was given. Ignored unless the service's own bot sends it.",
    ),
  ...onBehalf,
});

export const tryPullRequest = endpoint(
  {
    summary:
      "Tests a pull request on the base without queueing it. It never merges. If that head is being tried already, that try is answered.",
    scope: "submit",
    accepts: ["person"],
    body,
    answer: tryAnswer,
  },
  async ({ repo, targetBranch, pr, ...body }, { queues, principal }) => {
    const outcome = await queues.askForTry({
      repo,
      branch: targetBranch,
      pr: pr.number,
      expectedHead: pr.sha ?? null,
      seenHead: principal.mayActForOthers ? (body.seenHead ?? null) : null,
      ...actingFor(principal, body),
    });
    return presented(outcome, presentTry);
  },
);

export const cancelTry = endpoint(
  {
    summary: "Ends the try of a pull request. Without a try, nothing happens.",
    scope: "submit",
    accepts: ["person"],
    body: queueAddress.extend({ pr: byNumber, ...onBehalf }),
    answer: z.object({ cancelled: z.boolean().describe("Whether there was a try to end.") }),
  },
  async ({ repo, targetBranch, pr, ...body }, { queues, principal }) => {
    const request = { repo, branch: targetBranch, pr: pr.number, ...actingFor(principal, body) };
    return presented(await queues.cancelTry(request), (cancelled) => ({ cancelled }));
  },
);

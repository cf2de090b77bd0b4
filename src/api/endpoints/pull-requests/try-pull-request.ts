import { actingFor } from "../../access/acting-for.ts";
import { endpoint } from "../../endpoint.ts";
import { presentTry } from "../../present/present-try.ts";
import { presented } from "../../present/presented.ts";
import { onBehalf } from "../../schema/on-behalf.ts";
import { byNumber, expectedHead, headSha } from "../../schema/pull-request.ts";
import { queueAddress } from "../../schema/queue-address.ts";
import { tryAnswer } from "../../schema/try-answer.ts";

const body = queueAddress.extend({
  pr: byNumber.extend({
    sha: expectedHead.optional().describe("The head that is meant: with another one, nothing is tried."),
  }),
  seenHead: headSha
    .optional()
    .describe("The head that was there when the command was given. Ignored from everybody but the own bot."),
  ...onBehalf,
});

export const tryPullRequest = endpoint(
  {
    summary:
      "Tests a pull request on the base without queueing it. It never merges. What is being tried at that head is answered as it is.",
    scope: "submit",
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

import { actingFor } from "../../access/acting-for.ts";
import { endpoint } from "../../endpoint.ts";
import { presentTry } from "../../present/present-try.ts";
import { presented } from "../../present/presented.ts";
import { onBehalf } from "../../schema/on-behalf.ts";
import { byNumber, headSha } from "../../schema/pull-request.ts";
import { queueAddress } from "../../schema/queue-address.ts";
import { tryAnswer } from "../../schema/try-answer.ts";

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

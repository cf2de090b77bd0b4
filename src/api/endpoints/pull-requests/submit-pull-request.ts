import * as z from "zod";
import { actingFor } from "../../access/acting-for.ts";
import { endpoint } from "../../endpoint.ts";
import { presentEntry } from "../../present/present-entry.ts";
import { presented } from "../../present/presented.ts";
import { commitMessage, commitTitle } from "../../schema/commit-text.ts";
import { entryAnswer } from "../../schema/entry-answer.ts";
import { onBehalf } from "../../schema/on-behalf.ts";
import { priority } from "../../schema/priority.ts";
import { byNumber, expectedHead, headSha } from "../../schema/pull-request.ts";
import { queueAddress } from "../../schema/queue-address.ts";

const submission = queueAddress.extend({
  pr: byNumber.extend({
    sha: expectedHead.optional().describe("The head that is meant: with another one, nothing is submitted."),
  }),
  priority: priority.optional(),
  noBatch: z.boolean().optional().describe("Whether it is to be tested alone."),
  commitTitle: commitTitle
    .optional()
    .describe(
      "The title of the commit that it merges as, in place of the repository's template. Of a queued one it can be changed until its tests start. Refused where the queue merges by rebase.",
    ),
  commitMessage: commitMessage
    .optional()
    .describe(
      "The message below the title, likewise. A squash adds its co-authors and sign-offs. References and closing keywords take effect when it merges.",
    ),
  seenHead: headSha
    .optional()
    .describe("The head that was there when the command was given. Ignored from everybody but the own bot."),
  ...onBehalf,
});

export const submitPullRequest = endpoint(
  {
    summary: "Submits a pull request, or changes the priority and batching of one that is queued.",
    scope: "submit",
    accepts: ["workflow"],
    body: submission,
    answer: entryAnswer,
  },
  async ({ repo, targetBranch, pr, ...body }, { queues, principal }) => {
    const outcome = await queues.submit({
      repo,
      branch: targetBranch,
      pr: pr.number,
      expectedHead: pr.sha ?? null,
      seenHead: principal.mayActForOthers ? (body.seenHead ?? null) : null,
      priority: body.priority ?? null,
      noBatch: body.noBatch ?? null,
      ...givenMessage(body),
      ...actingFor(principal, body),
    });
    return presented(outcome, presentEntry);
  },
);

function givenMessage({
  commitTitle: title,
  commitMessage: body,
}: Pick<z.output<typeof submission>, "commitTitle" | "commitMessage">) {
  if (title === undefined && body === undefined) return {};
  return {
    message: { ...(title === undefined ? {} : { title }), ...(body === undefined ? {} : { body }) },
  };
}

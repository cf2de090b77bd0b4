import * as z from "zod";
import { maxCommitMessage, maxCommitTitle, plainMessage, plainTitle } from "../../command/commit-text.ts";
import { maxPriority, parsePriority } from "../../engine/model/entry.ts";
import { actingFor, onBehalf } from "../access/on-behalf.ts";
import { endpoint, presented } from "../endpoint.ts";
import { byNumber, headSha, queueAddress } from "../schema/addresses.ts";
import { entryAnswer, presentEntry } from "./entry-answer.ts";

const forms = `must be urgent, high, medium, low or 0…${maxPriority}`;

/** A priority as clients send it: a number, its name, digits as text; null = the default. */
const priority = z
  .union([z.number(), z.string(), z.null()], { error: forms })
  .transform((input, context) => {
    const parsed = input === null ? null : parsePriority(input);
    if (input !== null && parsed === null) {
      context.addIssue({ code: "custom", message: forms });
    }
    return parsed;
  })
  .describe("Lower goes first: `urgent` 0, `high` 10, `medium` 100 (the default), `low` 200, or a number.");

const wellFormed = { error: "must be well-formed Unicode" };

const commitTitle = z
  .string()
  .trim()
  .min(1)
  .max(maxCommitTitle)
  .regex(plainTitle, { error: "must be one line without control characters" })
  .refine((text) => text.isWellFormed(), wellFormed);

/** Line breaks are converted to those of git. */
const commitMessage = z
  .string()
  .trim()
  .min(1)
  .max(maxCommitMessage)
  .regex(plainMessage, { error: "must not hold control characters but tabs and line breaks" })
  .refine((text) => text.isWellFormed(), wellFormed)
  .transform((text) => text.replaceAll(/\r\n?/g, "\n"));

const submission = queueAddress.extend({
  pr: byNumber.extend({
    sha: headSha
      .optional()
      .describe("The expected head. If the pull request has another one, nothing is submitted."),
  }),
  priority: priority.optional(),
  noBatch: z.boolean().optional().describe("Whether it is to be tested alone."),
  commitTitle: commitTitle
    .optional()
    .describe(
      "The title of the commit that it merges as, in place of the repository's template. It can be changed until the tests start. Refused if the queue merges by rebase.",
    ),
  commitMessage: commitMessage
    .optional()
    .describe(
      "The message below the title, under the same conditions. A squash adds its co-authors and sign-offs. References and closing keywords take effect when it merges.",
    ),
  seenHead: headSha
    .optional()
    .describe(
      "The head of the pull request when the command was given. Ignored unless the service's own bot sends it.",
    ),
  ...onBehalf,
});

export const submitPullRequest = endpoint(
  {
    summary: "Submits a pull request, or changes the priority and batching of one that is queued.",
    scope: "submit",
    accepts: ["workflow", "person"],
    body: submission,
    answer: entryAnswer.extend({
      alreadyQueued: z
        .boolean()
        .describe(
          "Whether this head was in the queue before the request. Then it keeps its place, and at most its priority, batching and message were changed.",
        ),
    }),
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
    return presented(outcome, (view) => ({ ...presentEntry(view), alreadyQueued: view.wasQueued }));
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

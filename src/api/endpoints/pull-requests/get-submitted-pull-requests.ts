import * as z from "zod";
import { endpoint } from "../../endpoint.ts";
import { presentEntry } from "../../present/present-entry.ts";
import { presented } from "../../present/presented.ts";
import { entryAnswer } from "../../schema/entry-answer.ts";
import { ignoredField } from "../../schema/ignored-field.ts";
import { byNumber } from "../../schema/pull-request.ts";
import { queueAddress } from "../../schema/queue-address.ts";

const maxPullRequests = 50;

export const getSubmittedPullRequests = endpoint(
  {
    summary: "Reads several pull requests at once.",
    scope: "read",
    // The hosted API has includeTimeline, and its clients send it. The answer here has no timeline.
    body: queueAddress.extend({
      prs: z
        .array(byNumber)
        .min(1)
        .max(maxPullRequests)
        .describe("The numbers of the pull requests; duplicates are answered once."),
      includeTimeline: ignoredField("A client of the hosted API"),
    }),
    answer: z.object({
      pullRequests: z.array(entryAnswer),
      notFound: z.array(z.int()).describe("The numbers of those that were never submitted to this queue."),
    }),
  },
  async ({ repo, targetBranch, prs }, { queues }) =>
    presented(
      await queues.readEntries({ repo, branch: targetBranch, prs: prs.map(({ number }) => number) }),
      ({ entries, notFound }) => ({ pullRequests: entries.map(presentEntry), notFound: [...notFound] }),
    ),
);

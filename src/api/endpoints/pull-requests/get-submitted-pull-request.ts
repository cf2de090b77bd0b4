import { endpoint } from "../../endpoint.ts";
import { presentEntry } from "../../present/present-entry.ts";
import { presented } from "../../present/presented.ts";
import { entryAnswer } from "../../schema/entry-answer.ts";
import { ignoredField } from "../../schema/ignored-field.ts";
import { byNumberOrBranch } from "../../schema/pull-request.ts";
import { queueAddress } from "../../schema/queue-address.ts";

export const getSubmittedPullRequest = endpoint(
  {
    summary: "Reads a pull request that was submitted: its state, its place, and why it is there.",
    scope: "read",
    // The hosted API has includeTimeline, and its clients send it. The answer here has no timeline.
    body: queueAddress.extend({
      pr: byNumberOrBranch,
      includeTimeline: ignoredField("A client of the hosted API"),
    }),
    answer: entryAnswer,
  },
  async ({ repo, targetBranch, pr }, { queues }) =>
    presented(await queues.readEntry({ repo, branch: targetBranch, ...pr }), presentEntry),
);

import * as z from "zod";
import { entryStates } from "../../../engine/model/entry.ts";
import { endpoint } from "../../endpoint.ts";
import { presentListed } from "../../present/present-entry.ts";
import { presented } from "../../present/presented.ts";
import { anyCase } from "../../schema/any-case.ts";
import { cursor, renderCursor } from "../../schema/cursor.ts";
import { listedEntry } from "../../schema/entry-answer.ts";
import { queueAddress } from "../../schema/queue-address.ts";
import { time } from "../../schema/time.ts";

export const listPullRequests = endpoint(
  {
    summary: "Lists the pull requests of a queue, active and ended, the most recently submitted first.",
    scope: "read",
    body: queueAddress.extend({
      state: anyCase(entryStates).optional().describe("Only those in this state."),
      since: time.optional().describe("Only those submitted at or after this time."),
      until: time.optional().describe("Only those submitted before this time."),
      cursor: cursor.optional().describe("The nextCursor of the previous page."),
      take: z.int().min(1).max(100).default(50).describe("The largest number of entries to answer."),
    }),
    answer: z.object({
      pullRequests: z.array(listedEntry),
      nextCursor: z.string().nullable().describe("The cursor of the next page; null on the last one."),
    }),
  },
  async ({ repo, targetBranch, state, since, until, cursor: after, take }, { queues }) => {
    const query = {
      state: state ?? null,
      since: since ?? null,
      until: until ?? null,
      after: after ? { submittedAt: after[0], pr: after[1] } : null,
      limit: take,
    };
    return presented(
      await queues.listEntries({ repo, branch: targetBranch, query }),
      ({ entries, next }) => ({
        pullRequests: entries.map(presentListed),
        nextCursor: next && renderCursor([next.submittedAt, next.pr]),
      }),
    );
  },
);

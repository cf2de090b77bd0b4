import * as z from "zod";
import { entryStates } from "../../engine/model/entry.ts";
import { accepted } from "../../service/runtime/outcome.ts";
import { actingFor, onBehalf } from "../access/on-behalf.ts";
import { endpoint, presented } from "../endpoint.ts";
import { byNumber, byNumberOrBranch, queueAddress } from "../schema/addresses.ts";
import { anyCase, cursor, ignoredField, renderCursor, time } from "../schema/fields.ts";
import {
  entryAnswer,
  explanation,
  listedEntry,
  presentEntry,
  presentExplanation,
  presentListed,
} from "./entry-answer.ts";
import { decidingRun, presentVerdict, verdict } from "./verdict-answer.ts";

export const getSubmittedPullRequest = endpoint(
  {
    summary: "Reads a pull request that was submitted: its state, its place, and why it is there.",
    scope: "read",
    accepts: ["person"],
    // Clients of the hosted API send `includeTimeline`. The answer here has no timeline.
    body: queueAddress.extend({
      pr: byNumberOrBranch,
      includeTimeline: ignoredField("A client of the hosted API"),
    }),
    answer: entryAnswer,
  },
  async ({ repo, targetBranch, pr }, { queues }) =>
    presented(await queues.readEntry({ repo, branch: targetBranch, ...pr }), presentEntry),
);

const maxPullRequests = 50;

export const getSubmittedPullRequests = endpoint(
  {
    summary: "Reads several pull requests at once.",
    scope: "read",
    accepts: ["person"],
    // Clients of the hosted API send `includeTimeline`. The answer here has no timeline.
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

export const listPullRequests = endpoint(
  {
    summary: "Lists the pull requests of a queue, active and ended, the most recently submitted first.",
    scope: "read",
    accepts: ["person"],
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

export const explainPullRequest = endpoint(
  {
    summary: "Explains why a pull request is in its state, beginning with the outermost cause.",
    scope: "read",
    accepts: ["person"],
    body: queueAddress.extend({ pr: byNumberOrBranch }),
    answer: explanation.extend({ verdict }),
  },
  async ({ repo, targetBranch, pr }, { queues, knownTests }) => {
    const queue = { repo, branch: targetBranch };
    const found = await queues.readEntry({ ...queue, ...pr });
    if (!found.ok) return found;
    const story = await queues.readStory({ ...queue, pr: found.value.entry.pr });
    if (!story.ok) return story;
    const failures = await knownTests.failuresIn(story.value.repo, decidingRun(story.value));
    return accepted({
      ...presentExplanation(story.value.view),
      verdict: presentVerdict(story.value, failures),
    });
  },
);

export const cancelPullRequest = endpoint(
  {
    summary: "Removes a pull request from the queue. If it has already ended, it is answered as it ended.",
    scope: "submit",
    accepts: ["person"],
    body: queueAddress.extend({ pr: byNumber, ...onBehalf }),
    answer: entryAnswer,
  },
  async ({ repo, targetBranch, pr, ...body }, { queues, principal }) => {
    const address = { repo, branch: targetBranch, pr: pr.number };
    return presented(await queues.cancel({ ...address, ...actingFor(principal, body) }), presentEntry);
  },
);

export const restartTestsOnPullRequest = endpoint(
  {
    summary: "Tests a queued pull request again, with those whose tests contain it. It keeps its place.",
    scope: "submit",
    accepts: ["person"],
    body: queueAddress.extend({ pr: byNumber, ...onBehalf }),
    answer: entryAnswer,
  },
  async ({ repo, targetBranch, pr, ...body }, { queues, principal }) => {
    const { actor } = actingFor(principal, body);
    return presented(
      await queues.restart({ repo, branch: targetBranch, pr: pr.number, actor }),
      presentEntry,
    );
  },
);

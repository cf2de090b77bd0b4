import { describe, expect, test } from "@jest/globals";
import type { Bot } from "../../src/bot/bot.ts";
import {
  addressed,
  costText,
  givenUpText,
  helpText,
  interruptionText,
  noQueueText,
  queueStateText,
  refusalText,
  statusText,
  supersededText,
  tryText,
} from "../../src/bot/commands/answer-text.ts";
import { checkRepositoryFile } from "../../src/bot/events/check-repository-file.ts";
import { grammar, verbs } from "../../src/command/parse-command.ts";
import type { Entry } from "../../src/engine/model/entry.ts";
import { renderRefusal } from "../../src/engine/model/refusal.ts";
import type { Reason } from "../../src/engine/reasons/reason.ts";
import { goneComment, renderIssueBody, renderIssueComment } from "../../src/flaky/service/issue-text.ts";
import type { TestDetails } from "../../src/flaky/store/reads/test-records.ts";
import type { EntryView } from "../../src/service/runtime/views.ts";
import { renderCheck, renderComment } from "../../src/service/status/comment-and-check-text.ts";
import { tryReportText } from "../../src/service/status/ended-entry-text.ts";
import { buildEntry } from "../contract/build-entry.ts";
import { blocksOf, leftoverSyntax, renderGitHubMarkdown } from "../github-markdown.ts";

const prefix = "/trainyard";
const context = { branch: "main", queueUrl: "https://trainyard.example/queues/x", commandPrefix: prefix };
const checks = Array.from({ length: 6 }, (_, number) => ({
  name: `build ${number}`,
  conclusion: "failure",
  url: `https://ci.example/${number}`,
}));
const failed: Reason = { code: "CHECKS_FAILED", checks };
const why: EntryView["why"] = [
  { code: "FROZEN", since: 0, text: "the queue is frozen", refs: [] },
  { code: "CHECKS_NEVER_REPORTED", since: 0, text: "lint has never reported", refs: [] },
];

function viewOf(entry: Partial<Entry>): EntryView {
  return {
    entry: { ...buildEntry(), ...entry },
    ...{ run: null, ahead: [], position: 1, forecast: null, why, live: true, halt: null },
    ...{ hasImpactedTargets: true, requiresImpactedTargets: false },
    pageUrl: "https://trainyard.example/queues/x/pulls/1",
  };
}

const merged: Reason = { code: "MERGED_IN_ORDER", sha: "a".repeat(40), proof: "exact" };
const table = `table(tr ${Array(5).fill("tr").join(" ")})`;
const doubted = { doubted: { failure: failed, baseSha: "b".repeat(40) } } as unknown as Partial<Entry>;
const drafted = { readiness: { ...buildEntry().readiness, draft: true, blockers: ["a review is missing"] } };

const entries: readonly [string, Partial<Entry>, comment: string, check: string][] = [
  ["merged", { state: "merged", reason: merged }, "p", "p"],
  ["failed", { state: "failed", reason: failed }, `p ${table} p p`, `p ${table} p`],
  ["cancelled", { state: "cancelled", reason: { code: "PUSHED_TO", sha: "a".repeat(40) } }, "p", "p"],
  ["not ready", { state: "not_ready", ...drafted }, "p ul(li li) blockquote(p)", "ul(li li)"],
  [
    "not ready, because checks failed on its head",
    { state: "not_ready", readiness: { ...drafted.readiness, failedOnHead: checks.slice(0, 2) } },
    "p ul(li li) p table(tr tr tr) blockquote(p)",
    "ul(li li)",
  ],
  ["pending", { state: "pending" }, "p p blockquote(p) blockquote(p)", "ul(li li)"],
  [
    "tested again",
    { state: "pending", ...doubted },
    `p p blockquote(p) blockquote(p) p ${table} p`,
    `ul(li li) ${table} p`,
  ],
];

describe.each(entries)("a pull request that is %s", (_name, entry, comment, check) => {
  test("has a comment and a check with the blocks that were meant", () => {
    const told = renderComment(viewOf(entry), [], context);
    const { summary } = renderCheck(viewOf(entry), context);
    expect({ comment: blocksOf(told), check: blocksOf(summary) }).toEqual({ comment, check });
    expect([...leftoverSyntax(told), ...leftoverSyntax(summary)]).toEqual([]);
  });
});

const explanation = {
  ...{ state: "pending", position: 2, text: "it waits" },
  forecast: { p50: "2026-11-22T08:00:00.000Z", p90: "2026-11-22T08:30:00.000Z" },
  why: ["it waits for #1", "#1 is tested"].map((text) => ({
    text,
    since: "2026-11-22T07:30:00.000Z",
    refs: ["#1"],
  })),
} as unknown as Parameters<typeof statusText>[0];
const tried = { prSha: "a".repeat(40), state: "waiting" } as Parameters<typeof tryText>[0];
const runs = [{ createdAt: "2026-11-22T07:30:00Z", endedAt: null, testedPullRequests: [{ prNumber: 7 }] }];
const report = {
  headSha: "a".repeat(40),
  baseSha: "b".repeat(40),
  verdict: "failed",
  reason: failed,
} as const;

const answers: readonly [string, text: string, blocks: string][] = [
  ["help", helpText(prefix), `p table(tr${" tr".repeat(verbs.length)})`],
  ["status", statusText(explanation, "main", 0), "p ul(li li) p"],
  ["pause", queueStateText("main", "paused", "maintenance", prefix), "p"],
  ["a branch without a queue", noQueueText("dev", ["main", "v|2"]), "p"],
  ["try", tryText(tried, "main", prefix), "p"],
  ["the report of a try", tryReportText(report, "main", prefix), "p ul(li li li li li)"],
  ["merge --urgent", costText(runs, [8, 9], 5, 0), "p"],
  ["merge --urgent --confirm", interruptionText(runs, 1, { prNumber: 5, state: "pending" }), "p"],
  ["a late command", supersededText("merge", 0, { verb: "cancel", at: 1_000 }, prefix), "p"],
  ["a command that was given up", givenUpText("NOT_HANDLED", "a-b-c"), "p"],
  [
    "a fork's merge",
    refusalText(renderRefusal({ code: "FORK_NEEDS_SHA", pr: 5, head: "a".repeat(40) }), 5, "merge", prefix),
    "p",
  ],
];

describe.each(answers)("the answer to %s", (_name, text, blocks) => {
  test("has the blocks that were meant, also behind the name of the person", () => {
    const answer = addressed({ login: "alice", isPerson: true }, text);
    expect(blocksOf(answer)).toBe(blocks);
    expect(leftoverSyntax(answer)).toEqual([]);
    const comment = renderComment(
      viewOf({ state: "merged", reason: merged }),
      [{ to: "alice", text: answer, at: 0 }],
      context,
    );
    expect(blocksOf(comment)).toBe(`p blockquote(${blocks})`);
  });
});

test("the next step after a refusal is one that can be taken", () => {
  expect(noQueueText("dev", ["main", "next"])).toContain("only for `main`, `next`. Change the base branch");
  const closed = renderComment(viewOf({ state: "cancelled", reason: { code: "PR_CLOSED" } }), [], context);
  expect(closed).toContain("Reopen it, then comment `/trainyard merge`");
  const gone = viewOf({ state: "cancelled", reason: { code: "PR_CLOSED", branch: "fix" } });
  expect(renderComment(gone, [], context)).toContain(
    "Closed, and its branch fix was deleted. Restore its branch on GitHub, reopen it, then comment `/trainyard merge`",
  );
  const objections = [{ code: "HEAD_CHECKS_FAILED", names: ["build"] }] as const;
  const failedOnHead = [{ name: "build", conclusion: "failure", url: "https://ci.example/7" }];
  const readiness = { ...buildEntry().readiness, objections, failedOnHead };
  expect(renderComment(viewOf({ state: "not_ready", readiness }), [], context)).toMatch(
    /failed on its head: build\n\nLook at what failed on its head, and push a fix:\n[\s\S]*\[`build`\]\(https:\/\/ci\.example\/7\)/,
  );
});

const aTest = {
  repo: { host: "github.com", owner: "acme", name: "widgets" },
  ...{
    id: "aad1f138",
    name: "turns *left* | <b>",
    parent: "widget",
    file: "src/`a`.ts",
    classname: "",
    variant: "",
  },
  codeowners: ["@acme/widgets", "mail@acme.example"],
  status: { status: "FLAKY", at: 0, reason: { code: "FLIPPED_ON_ONE_TREE", tree: "0f0fad9", episodes: 1 } },
  lastWeek: { failures: 2, runs: 9 },
  commonFailures: [{ summary: "expected `1` | ## got 2", count: 3 }],
  pullRequestsImpacted: 1,
} as unknown as TestDetails;

test("the issue of a flaky test, and the comments on it, have the blocks that were meant", () => {
  const url = "https://trainyard.example/tests/aad1f138";
  const body = renderIssueBody(aTest, url);
  expect(blocksOf(body)).toBe("p p ul(li li li) p ul(li li li) p pre p");
  for (const text of [renderIssueComment(aTest, url), goneComment]) expect(blocksOf(text)).toBe("p");
  const written = [body.replace(/```[\s\S]*```/, ""), renderIssueComment(aTest, url), goneComment];
  expect(written.flatMap(leftoverSyntax)).toEqual([]);
});

describe("an answer about a queued pull request", () => {
  const answered = (at: number) => ({ to: "alice", text: "@alice: it is 2nd.", at, endsWithEntry: true });
  const shown = (entry: Partial<Entry>, at: number) =>
    renderComment(viewOf({ submittedAt: 4_000, ...entry }), [answered(at)], context).includes("2nd");

  test("is shown as long as the pull request is queued", () => {
    expect(shown({ state: "pending" }, 5_000)).toBe(true);
    expect(shown({ state: "merged", reason: merged, stateChangedAt: 6_000 }, 5_000)).toBe(false);
    expect(shown({ state: "failed", reason: failed, stateChangedAt: 6_000 }, 7_000)).toBe(true);
    expect(shown({ state: "pending", submittedAt: 8_000 }, 7_000)).toBe(false);
  });
});

test("the help shows each command as it is typed", () => {
  const html = renderGitHubMarkdown(addressed({ login: "alice", isPerson: true }, helpText(prefix)));
  const shown = [...html.matchAll(/<td><code>(.*?)<\/code><\/td>/g)].map(([, code = ""]) =>
    code.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"'),
  );
  expect(shown).toEqual(Object.values(grammar).map(({ usage }) => `${prefix} ${usage}`));
});

test("the check of the repository's file lists its faults", async () => {
  const summaries: string[] = [];
  const text = "nonsense: 1\nforks: maybe\n";
  const readRepositoryFile = async () => ({ path: ".github/trainyard.yml", text, strays: [] });
  const putCheckRun = async (_repo: unknown, _id: unknown, { summary }: { summary: string }) => {
    summaries.push(summary);
    return "1";
  };
  const bot = { codeHost: { readRepositoryFile, putCheckRun } } as unknown as Bot;
  const repo = { host: "github.com", owner: "acme", name: "widgets", installationId: 1 };
  await checkRepositoryFile(bot, repo, "a".repeat(40));
  expect(summaries.map(blocksOf)).toEqual(["p ul(li li)"]);
});

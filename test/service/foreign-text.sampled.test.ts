import { describe, expect, test } from "@jest/globals";
import {
  fileInvalidText,
  queueStateText,
  refusalText,
  statusText,
} from "../../src/bot/commands/answer-text.ts";
import type { AnswerOf } from "../../src/client/client.ts";
import type { Entry } from "../../src/engine/model/entry.ts";
import type { Reason } from "../../src/engine/reasons/reason.ts";
import { renderIssueBody } from "../../src/flaky/service/issue-text.ts";
import type { EntryView } from "../../src/service/runtime/views.ts";
import { renderCheck, renderComment } from "../../src/service/status/comment-and-check-text.ts";
import { buildEntry } from "../contract/build-entry.ts";
import fc from "../drawn.ts";
import { renderGitHubMarkdown } from "../github-markdown.ts";
import { draws } from "../sampled.ts";

/** Texts that have a meaning in Markdown, in HTML, or for GitHub. */
const pieces = [
  ..."`|*_~$\\&<>[]()!#@:=+-",
  ...[
    "``",
    "```\n",
    "~~~\n",
    "\n",
    "\r",
    "\r\n",
    "\n\n",
    "\u2028",
    "\t",
    "    ",
    " ",
    "x",
    "12",
    "\u202e",
    "\u200b",
  ],
  ...[
    "# head\n",
    "> quote\n",
    "- item\n",
    "1. one\n",
    "2) two\n",
    "===\n",
    "---\n",
    ":--\n",
    "|-|-|\n",
    "- [ ] ",
  ],
  ...["<b>", "</b>", "<!--", "-->", "<img src=x onerror=y>", "<details>", "&lt;", "&#64;alice", "&nbsp;"],
  ...["@alice", "@acme/team", "#12", "acme/widgets#3", "GH-7", "alice@b.example", "mailto:a@b.example"],
  ...["https://evil.example/x", "HTTP://evil.example", "www.evil.example", "ftp://evil.example"],
  ...[
    "[x](https://evil.example)",
    "![x](https://evil.example)",
    "[x]: https://evil.example\n",
    "<https://evil.example>",
  ],
  ...["**", "__", "~~", "$$", "$`x`$", "](", "\\|", "\\`", "…"],
];
const hostile = fc
  .array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 12 })
  .map((parts) => parts.join(""));

/** What GitHub recognizes in the text of parsed Markdown: mentions, references, addresses. */
const meanings =
  /(?<![\w`])@[a-z\d][\w-]*(?:\/[\w-]+)?|(?:[\w.-]+\/[\w.-]+)?#\d+|\bgh-\d+|\bwww\.\w|\w:\/\/\w|\w@\w/gi;

const tag = /<[^>]*>/g;

/** Everything in a text except its words: blocks, emphasis, code, HTML, links, mentions and references. */
function structureOf(text: string): string[] {
  const html = renderGitHubMarkdown(text);
  const words = html
    .replaceAll(/<code>[^<]*<\/code>/g, "`")
    .replaceAll(tag, " ")
    .replaceAll(/&(?:lt|gt|quot|amp);/g, " ");
  return [...(html.match(tag) ?? []), ...(words.match(meanings) ?? [])];
}

/** Checks that the rendered text has the same structure with any hostile text as with a harmless word. */
function staysText(render: (foreign: string) => string, like = "harmless"): void {
  const harmless = structureOf(render(like));
  fc.assert(
    fc.property(hostile, (text) => {
      expect(structureOf(render(text))).toEqual(harmless);
    }),
    { numRuns: draws(150) },
  );
}

const context = {
  branch: "main",
  queueUrl: "https://trainyard.example/queues/x",
  commandPrefix: "/trainyard",
};

function viewOf(entry: Partial<Entry>, why: EntryView["why"] = []): EntryView {
  return {
    entry: { ...buildEntry(), ...entry },
    ...{ run: null, ahead: [], position: 1, forecast: null, why, live: true, halt: null },
    ...{ hasImpactedTargets: true, requiresImpactedTargets: false },
    pageUrl: "https://trainyard.example/queues/x/pulls/1",
  };
}

const reasons: readonly [state: Entry["state"], reasonOf: (foreign: string) => Reason][] = [
  ["failed", (message) => ({ code: "CONFIGURATION_INVALID", message })],
  ["failed", (message) => ({ code: "PERMISSION_DENIED", message })],
  ["failed", (message) => ({ code: "RETRIES_EXHAUSTED", message })],
  ["failed", (message) => ({ code: "MERGE_REFUSED", message })],
  ["failed", (message) => ({ code: "MERGING_NOT_ALLOWED", message })],
  ["failed", (message) => ({ code: "RETRY_REFUSED", message })],
  ["failed", (message) => ({ code: "INFRASTRUCTURE_ERROR", attempt: 1, message })],
  ["pending", (message) => ({ code: "INFRASTRUCTURE_ERROR", attempt: 5, message })],
  [
    "failed",
    (name) => ({ code: "CHECKS_FAILED", checks: [{ name, conclusion: name, url: "https://ci.example/1" }] }),
  ],
  ["failed", (name) => ({ code: "TESTING_TIMEOUT", minutes: 5, missing: [name], pending: [name, name] })],
  ["failed", (test) => ({ code: "FLAKY_TESTS_RETRIED", tests: [test] })],
  ["failed", (test) => ({ code: "NEW_TESTS_RETRIED", tests: [test] })],
  ["cancelled", (by) => ({ code: "CANCELLED_BY_API", by })],
  ["cancelled", (branch) => ({ code: "BASE_BRANCH_CHANGED", branch })],
  ["cancelled", (note) => ({ code: "CONFIGURED", by: note, note })],
  [
    "merged",
    (test) => ({
      code: "MERGED_IN_ORDER",
      sha: "a".repeat(40),
      proof: "exact",
      forgiven: [test],
      retried: [test],
    }),
  ],
];

describe.each(reasons)("in the comment and check of a pull request that %s (%p),", (state, reasonOf) => {
  test("foreign text is shown as text", () => {
    staysText((text) => renderComment(viewOf({ state, reason: reasonOf(text) }), [], context));
    staysText((text) => renderCheck(viewOf({ state, reason: reasonOf(text) }), context).summary);
  });
});

test("the files of a conflict, and the checks that passed on the head, are shown as text", () => {
  const conflicting = viewOf({ state: "failed", reason: { code: "MERGE_CONFLICT_WITH_BASE" } });
  const files = (...paths: string[]) => ({
    below: [],
    passedAlone: [],
    failedTests: [],
    conflict: { paths, since: 3 },
  });
  staysText((path) => renderComment(conflicting, [], context, files(path)));
  staysText((path) => renderCheck(conflicting, context, files(path, path)).summary);
  const failing = (name: string) =>
    viewOf({
      state: "failed",
      reason: { code: "CHECKS_FAILED", checks: [{ name, conclusion: "failure", url: null }] },
    });
  staysText((name) =>
    renderComment(failing(name), [], context, {
      below: [12],
      passedAlone: [name],
      failedTests: [name],
      conflict: null,
    }),
  );
});

test("the comment names an error that lasts, but not one that may be over at the next attempt", () => {
  const comment = (attempt: number) =>
    renderComment(
      viewOf({
        state: "pending",
        reason: { code: "INFRASTRUCTURE_ERROR", attempt, message: "Validation failed" },
      }),
      [],
      context,
    );
  expect(comment(4)).not.toContain("Validation failed");
  expect(comment(5)).toContain("> Its test commit cannot be built.");
  expect(comment(5)).toContain("The error: Validation failed.");
});

test("a pull request's submitter, reason and blockers are shown as text", () => {
  for (const kind of ["user", "token"] as const) {
    const by = (name: string) => ({
      admittedBy: { kind, name: kind === "user" ? "alice" : name, reason: name },
    });
    staysText((text) => renderComment(viewOf({ state: "pending", ...by(text) }), [], context));
    staysText((text) => renderComment(viewOf({ state: "not_ready", ...by(text) }), [], context));
  }
  const { readiness } = buildEntry();
  const blocked = (text: string) => ({ ...readiness, blockers: [text, text], baseBranchMatches: false });
  staysText((text) =>
    renderComment(viewOf({ state: "not_ready", readiness: blocked(text), baseBranch: text }), [], context),
  );
  staysText((author) => renderComment(viewOf({ state: "failed", author: `${author}[bot]` }), [], context));
});

test("the chain of causes is shown as text, except for the pull requests that it is about", () => {
  const summary = (text: string, refs: string[] = []) =>
    renderCheck(viewOf({ state: "pending" }, [{ code: "BEHIND", since: 0, text, refs }]), context).summary;
  staysText(summary);
  expect(summary("behind #12 and #123, a/b#12", ["#12"])).toContain(
    "- Behind #12 and #\u200b123, a/b#\u200b12. (since",
  );
});

test("an invalid address of a check is not shown as a link", () => {
  const reason = (url: string): Reason => ({
    code: "CHECKS_FAILED",
    checks: [{ name: "n", conclusion: "failure", url }],
  });
  const shown = (url: string) => renderComment(viewOf({ state: "failed", reason: reason(url) }), [], context);
  staysText((text) => shown(`javascript:${text}`));
  staysText((text) =>
    shown(`https://ci.example/${text}`).replaceAll(/\(https:\/\/ci\.example\/[^\s()<>]*\)/g, "(/u)"),
  );
});

test("answers of the bot show foreign text as text", () => {
  const explanation = (text: string) =>
    ({
      state: "failed",
      position: null,
      text,
      forecast: null,
      why: [{ text, since: "2026-11-22T07:30:00.000Z", refs: [] }],
    }) as unknown as AnswerOf<"explainPullRequest">;
  staysText((text) => statusText(explanation(text), "main", 0));
  staysText((text) => statusText(explanation("x"), text, 0));
  staysText((text) => queueStateText(text, "paused", text, "/trainyard"));
  staysText((text) => fileInvalidText(".github/trainyard.yaml", text, text));
  staysText((text) =>
    refusalText(`GitHub denied this: ${text.replaceAll("`", "'")}. Use \`merge\`.`, 7, "merge", "/trainyard"),
  );
});

test("the issue of a test shows the texts of the test as text", () => {
  const about = (text: string) =>
    ({
      ...{
        id: "i",
        name: text,
        parent: text,
        file: text,
        classname: text,
        variant: text,
        codeowners: [text],
      },
      ...{ repo: { host: "github.com", owner: "acme", name: "widgets" }, pullRequestsImpacted: 1 },
      ...{ status: { status: "FLAKY", at: 0, reason: { code: "NOTHING_KNOWN" } } },
      ...{ lastWeek: { runs: 2, failures: 1 }, commonFailures: [{ summary: text, count: 1 }] },
    }) as unknown as Parameters<typeof renderIssueBody>[0];
  staysText((text) => renderIssueBody(about(` ${text}`), "https://trainyard.example/tests/i"));
});

test.each([
  ['Required status check "build" is expected.', 'Required status check "build" is expected.'],
  ["Head is out of date", "Head is out of date."],
  ["Try again!", "Try again!"],
  ["And so on...", "And so on..."],
])("a sentence with the message %p has only one end mark", (message, shown) => {
  const view = viewOf({ state: "failed", reason: { code: "MERGE_REFUSED", message } });
  const comment = renderComment(view, [], context);
  expect(comment).toContain(`GitHub refused the merge: ${shown}\n`);
  expect(renderCheck(view, context).summary).toMatch(/[^.][.!]$|\.\.\.$/);
  expect(renderCheck(view, context).title).not.toMatch(/[^.]\.$/);
});

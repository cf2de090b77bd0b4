import { describe, expect, test } from "@jest/globals";
import { parsePriority } from "../../src/engine/model/entry.ts";
import { type DirectMergeObstacle, renderObstacle } from "../../src/engine/model/merge-attempt.ts";
import { type Refusal, type RefusalCode, renderRefusal } from "../../src/engine/model/refusal.ts";
import { testBranchName } from "../../src/engine/model/test-run.ts";
import type { MergeProof, Reason } from "../../src/engine/reasons/reason.ts";
import { renderProof, renderReason } from "../../src/engine/reasons/render-reason.ts";

describe("the text of the refusal", () => {
  const facts = {
    branch: "main",
    by: "@admin",
    pr: 12,
    prs: [12, 13],
    state: "closed",
    expected: "aaaaaaaaaaaaaaaa",
    actual: "bbbbbbbbbbbbbbbb",
    head: "cccccccccccccccc",
    stack: 7,
    position: 2,
    size: 3,
    isLowest: false,
  };
  const says: Readonly<Record<RefusalCode, string>> = {
    QUEUE_EXISTS:
      'A queue for branch "main" already exists. Change it with `trainyard queue set`, or updateQueue.',
    QUEUE_NOT_FOUND:
      'There is no queue for branch "main". Create it with `trainyard queue create`, or createQueue.',
    QUEUE_NOT_EMPTY: "The queue still contains #12, #13; cancel or merge them first.",
    SWITCHING_MODES:
      "The queue is switching modes. Until this is finished, you can only pause, drain or resume it. Change its settings afterwards.",
    PR_NOT_OPEN:
      "#12 is closed; only an open pull request can be queued. Its branch main was deleted: restore it with the button on #12, then reopen #12.",
    HEAD_MISMATCH:
      "The head of #12 is not `aaaaaaaaaaaaaaaa`. Review what was pushed, then name the present head (in a comment: `/trainyard merge bbbbbbbbbbbbbbbb`).",
    FORK_NEEDS_SHA:
      "#12 comes from a fork, whose code would run with this repository's secrets. Review its head, then name it with all digits in a comment: `/trainyard merge cccccccccccccccc`.",
    HEAD_NOT_PROVEN:
      "It is not certain that the command was about the present head of #12. Review it, then name it with all digits in a comment: `/trainyard merge cccccccccccccccc`.",
    PART_OF_STACK:
      "#12 cannot be queued: it is pull request 2 of 3 in stack 7, and those below it have not merged: merge them first, or take it out of the stack.",
    COMMANDS_DISABLED:
      "Commands in comments are switched off for this queue by @admin (`commandsEnabled`); use the label or the API.",
    NOT_QUEUED: "#12 is not in the queue. Submit it first.",
    NOT_TESTING:
      "The tests of #12 have not started, so there is nothing to restart: they start by themselves. `/trainyard status` says what it waits for.",
    ALREADY_QUEUED:
      "#12 is in the queue, which already tests it. To test it without queueing it, cancel it first.",
    MESSAGE_ALREADY_TESTED:
      "#12 is being tested with another title or message, so neither was changed. To change them, cancel it and submit it again with the new ones; it will then be tested at the end of the queue.",
    REBASE_KEEPS_MESSAGES:
      "This queue merges by rebase, which keeps the messages of the commits. Submit #12 without a title and a message.",
    MERGE_ALREADY_ORDERED:
      "It is too late: GitHub has been asked to merge #12. To undo the merge, revert it on GitHub.",
  };

  const nextStep =
    /\b(ask|cancel|change|comment|create|do|merge|name|open|push|reopen|restore|revert|review|submit|take it out|use|wait)\b|you can|says what it waits for/i;

  test.each(Object.entries(says))("%s says what to do", (code, text) => {
    expect(
      text
        .split(/(?<=[.;:]) |, then /)
        .slice(1)
        .join(" "),
    ).toMatch(nextStep);
    expect(renderRefusal({ code, ...facts } as unknown as Refusal)).toBe(text);
  });
});

test.each([
  ["failed", "#12 has left the queue: to test it again, comment `/trainyard merge`."],
  ["merged", "#12 has merged: there is nothing to test again. For another change, open a new pull request."],
] as const)("a restart of a pull request that is %s is refused with the next step", (state, text) => {
  expect(renderRefusal({ code: "NOT_TESTING", pr: 12, state })).toBe(text);
});

describe("a text for the middle of a sentence", () => {
  const proofs: Readonly<Record<MergeProof, string>> = {
    exact: "exactly the commit that passed",
    same_tree: "exactly the tree that passed",
    composed: "what passed, together with merges that it does not depend on",
    batch: "part of a batch whose tree passed",
    successor: "part of the tree behind it that passed",
    head: "exactly the tree of its head, which was up to date and had passed",
  };
  const obstacles: Readonly<Record<DirectMergeObstacle, string>> = {
    NOT_UP_TO_DATE: "its head is not up to date with the target branch",
    CHECKS_NOT_PASSED: "not every required check has passed on its head",
    NO_REQUIRED_CHECKS: "no required checks are configured",
    UNREADABLE: "GitHub did not say what its head is like",
    OVERTAKEN: "something changed meanwhile",
  };

  test.each(Object.entries(proofs))("describes the proof %s", (proof, text) => {
    expect(renderProof(proof as MergeProof)).toBe(text);
  });

  test.each(Object.entries(obstacles))("describes the obstacle %s", (obstacle, text) => {
    expect(renderObstacle(obstacle as DirectMergeObstacle)).toBe(text);
  });

  test("leaves out empty lists, and uses the singular for one check", () => {
    const checks = [{ name: "build", conclusion: "failure", url: null }];
    expect(renderReason({ code: "TESTING_TIMEOUT", minutes: 5, missing: [], pending: [] })).toBe(
      "tests did not finish within 5 minutes",
    );
    expect(renderReason({ code: "CONFLICT_WITH_AHEAD", prs: [] })).toBe("conflicts with the target branch");
    expect(renderReason({ code: "CHECKS_FAILED", checks })).toBe("required check failed: build");
    expect(renderReason({ code: "CHECKS_FAILED", checks: [...checks, ...checks] })).toBe(
      "required checks failed: build, build",
    );
  });

  test.each<[Reason, string]>([
    [{ code: "PLACE_LOST", minutes: 1 }, "only after more than 1 minute, so"],
    [{ code: "READINESS_TIMEOUT", hours: 1 }, "within 1 hour"],
    [{ code: "TESTING_TIMEOUT", minutes: 1, missing: [], pending: [] }, "within 1 minute"],
    [{ code: "TESTS_CANCELLED", checks: [], times: 1 }, "ended as cancelled 1 time in a row"],
    [{ code: "REQUIRED_CHECK_MISSING", names: ["build"], minutes: 1 }, "finished for 1 minute: build"],
  ])("of %o uses the singular for one minute, hour or time", (reason, text) => {
    expect(renderReason(reason)).toMatch(new RegExp(`${text}\\b`));
  });

  test("of a missing check that is named as GitHub's pages show it says what it is called", () => {
    const names = ["lint", "CI / build (push)", "CI / test / unit"];
    expect(renderReason({ code: "REQUIRED_CHECK_MISSING", names, minutes: 1 })).toMatch(
      /require build, test \/ unit instead of CI \/ build \(push\), CI \/ test \/ unit$/,
    );
    expect(renderReason({ code: "REQUIRED_CHECK_MISSING", names: ["lint"], minutes: 1 })).toMatch(/: lint$/);
  });

  test("is not rendered for an unknown kind, which is an error", () => {
    expect(() => renderReason({ code: "NEWER" } as never)).toThrow('unexpected value: {"code":"NEWER"}');
  });
});

describe("a priority", () => {
  test.each([
    ["URGENT", 0, "urgent"],
    [" high ", 10, "high"],
    [100, 100, "medium"],
    ["42", 42, "42"],
    [4_294_967_295, 4_294_967_295, "4294967295"],
  ])("of %j is accepted", (input, value, name) => {
    expect(parsePriority(input)).toEqual({ value, name, isDefault: false });
  });

  test.each(["", "soon", -1, 1.5, 4_294_967_296, "99999999999"])("of %j is rejected", (input) => {
    expect(parsePriority(input)).toBeNull();
  });
});

test("the branch name of a run contains its first pull request and its id", () => {
  expect(testBranchName("queue/", { id: "run-1", members: [12, 13] })).toBe("queue/pr-12/run-1");
});

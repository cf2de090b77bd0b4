import { describe, expect, test } from "@jest/globals";
import { renderCheck } from "../../src/action/commands/status.ts";
import type { Entry } from "../../src/action/step.ts";
import { code, escapeMarkdown, renderSummary } from "../../src/action/summary.ts";
import { entryOf } from "./entry.ts";

const subject = {
  queue: { repo: { host: "github.com", owner: "acme", name: "widgets" }, targetBranch: "main" },
  pr: 12,
  headSha: null,
  isFromFork: false,
  url: "https://github.com/acme/widgets/pull/12",
};

describe("the check that mirrors a queue entry", () => {
  const expected: Record<Entry["state"], [status: string, conclusion: string | null]> = {
    not_ready: ["queued", null],
    pending: ["queued", null],
    testing: ["in_progress", null],
    tests_passed: ["in_progress", null],
    pending_failure: ["in_progress", null],
    merged: ["completed", "success"],
    failed: ["completed", "failure"],
    cancelled: ["completed", "cancelled"],
  };

  test.each(Object.entries(expected))("shows the state %s", (state, [status, conclusion]) => {
    const check = renderCheck(
      entryOf({ state: state as Entry["state"], position: null, text: "so it is" }),
      subject,
    );
    expect(check).toMatchObject({
      name: "Trainyard queue (main)",
      externalId: "trainyard-queue:main#12",
      status,
      conclusion,
      title: `${state.replace("_", " ")}: so it is`,
      summary: "- so it is (since 2026-01-02T03:04:05.678Z)",
    });
  });
});

describe("the step's summary", () => {
  test("escapes Markdown in text of other people", () => {
    expect(escapeMarkdown("<img> [a](b)\n# `c` | @alice")).toBe(
      "\\<img\\> \\[a\\](b) \\# \\`c\\` \\| \\@alice",
    );
    expect(code("a `` b\nc")).toBe("``` a `` b c ```");
  });

  test("begins with the outcome and the pull request", () => {
    const lines = renderSummary({
      command: "submit",
      isFailure: true,
      title: "Not merged: failed",
      message: "#12 is failed.",
      subject,
      details: ["- why"],
    }).split("\n");
    expect(lines).toEqual([
      "### Trainyard submit: Not merged: failed",
      "",
      "[acme/widgets#12](https://github.com/acme/widgets/pull/12), queue of ` main `",
      "",
      "**Failed.** \\#12 is failed.",
      "",
      "- why",
      "",
    ]);
  });
});

import { spawnSync } from "node:child_process";
import { describe, expect, test } from "@jest/globals";
import { fillTemplate } from "../../src/command/commit-text.ts";
import { squashTrailers, withTrailers } from "../../src/command/commit-trailers.ts";
import { parseRepositoryFile } from "../../src/command/parse-repository-file.ts";

const values = { title: "Add {body}", number: "7", body: "$&", author: "alice", url: "u", commits: "* a" };

describe("a commit template", () => {
  test("is filled in once, and placeholders in the inserted values stay unchanged", () => {
    expect(fillTemplate("{title} (#{number})\r\n\n\n\n{body} ", values, 100)).toBe("Add {body} (#7)\n\n$&");
  });

  test("that becomes too long is shortened at the inserted value, between characters", () => {
    const long = { ...values, title: "😀".repeat(200), body: "b".repeat(60) };
    expect(fillTemplate("{title} (#{number})", long, 50)).toBe(`${"😀".repeat(22)}… (#7)`);
    const filled = fillTemplate("{title}\n\n{body}\n\n{body}\nRefs: {url}", long, 100);
    expect([filled.length <= 100, filled.isWellFormed(), filled.endsWith("\nRefs: u")]).toEqual([
      true,
      true,
      true,
    ]);
  });

  test("with a lone surrogate in a value is filled in well-formed", () => {
    expect(fillTemplate("{title}", { ...values, title: "a\uD83D" }, 50)).toBe("a\uFFFD");
  });

  test("with an unknown placeholder is an error of the repository file at its line", () => {
    expect(parseRepositoryFile("forks: deny\ncommitTitle: '{titel}'\n")).toEqual({
      ok: false,
      path: ".github/trainyard.yml",
      problems: [
        {
          line: 2,
          key: "commitTitle",
          message: expect.stringMatching(/\{titel\}; known: \{title\}, \{number\}/),
        },
      ],
    });
  });
});

describe("the trailers of a squash commit", () => {
  const by = (name: string, login: string | null, message = "Add it") => ({
    message,
    authorName: name,
    authorEmail: `${name.toLowerCase()}@example.com`,
    authorLogin: login,
  });

  test("name each author except the pull request's once", () => {
    const commits = [by("Alice", "alice"), by("Bob", "bob"), by("Bob", "bob"), by("alice", null)];
    expect(squashTrailers(commits, "alice")).toEqual(["Co-authored-by: Bob <bob@example.com>"]);
  });

  test("keep the sign-offs and co-authors of the commits, with the sign-offs last", () => {
    const message =
      "Add it\n\nsigned-off-by: Alice <alice@example.com>\nCo-Authored-By: Carl <carl@example.com>";
    expect(squashTrailers([by("Alice", "alice", message), by("Alice", "alice", message)], "alice")).toEqual([
      "Co-authored-by: Carl <carl@example.com>",
      "Signed-off-by: Alice <alice@example.com>",
    ]);
  });

  const bob = "Co-authored-by: Bob <bob@example.com>";

  test.each([
    ["a text", "It is.", "It is."],
    ["a text that mentions the address", `Thanks to ${bob}!`, `Thanks to ${bob}!`],
    ["own trailers", "It is.\n\nRefs: #1\nReviewed-by: C <c@example.com>", "It is."],
    ["the same person in another spelling", "It is.\n\nco-authored-by: Robert <BOB@example.com>", "It is."],
    ["nothing but trailers", "Refs: #1", ""],
    ["a rule", "One.\n\n---\n\nTwo.", "One.\n\n***\n\nTwo."],
    ["the same trailer twice", `It is.\n\n${bob}\n${bob}`, "It is."],
    ["no text", "", ""],
  ])("form one block at the end of a message with %s, as git reads it", (_what, text, above) => {
    const signed = "Signed-off-by: Alice <alice@example.com>";
    const message = withTrailers(text, [bob, signed], 1_000);
    const read = spawnSync("git", ["interpret-trailers", "--parse"], { input: `Title\n\n${message}\n` });
    const trailers = read.stdout.toString().trim().split("\n");
    expect(message).toBe(above === "" ? trailers.join("\n") : `${above}\n\n${trailers.join("\n")}`);
    expect(trailers.filter((line) => /bob@example/i.test(line)).length).toBe(1);
    expect(trailers).toContain(signed);
  });

  test("survive when the message is too long", () => {
    const message = withTrailers("a".repeat(500), [bob], 100);
    expect([message.length, message.endsWith(`a…\n\n${bob}`)]).toEqual([100, true]);
  });
});

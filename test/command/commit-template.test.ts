import { describe, expect, test } from "@jest/globals";
import { fillTemplate } from "../../src/command/commit-template.ts";
import { squashTrailers } from "../../src/command/commit-trailers.ts";
import { parseRepositoryFile } from "../../src/command/parse-repository-file.ts";

const values = { title: "Add {body}", number: "7", body: "$&", author: "alice", url: "u", commits: "* a" };

describe("a commit template", () => {
  test("is filled in once, and placeholders in the inserted values stay unchanged", () => {
    expect(fillTemplate("{title} (#{number})\r\n\n\n\n{body} ", values)).toBe("Add {body} (#7)\n\n$&");
  });

  test("with an unknown placeholder is an error of the repository file at its line", () => {
    expect(parseRepositoryFile("forks: deny\ncommitTitle: '{titel}'\n")).toEqual({
      ok: false,
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
});

import { readFileSync } from "node:fs";
import { describe, expect, test } from "@jest/globals";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { parse as parseYaml } from "yaml";
import { parseRepositoryFile, repositoryFileJsonSchema } from "../../src/command/parse-repository-file.ts";
import { noRepositoryFile } from "../../src/command/repository-file.ts";

import { draws } from "../sampled.ts";

const full = `# yaml-language-server: $schema=https://trainyard.example.org/trainyard.schema.json
requiredStatuses: [build, "test (24)"]
permission: admin
forks: deny
bots:
  - 29139614 # renovate
labels:
  submit: ship it
  states:
    testing: under test
  priorities:
    hotfix: urgent
    later: 4000
`;

describe("the repository file", () => {
  test("is parsed with all its settings", () => {
    expect(parseRepositoryFile(full)).toEqual({
      ok: true,
      file: {
        answerOtherBots: true,
        notify: "comment",
        requiredStatuses: ["build", "test (24)"],
        protectedPaths: [],
        rebasingBots: [],
        freezes: [],
        permission: "admin",
        forks: "deny",
        bots: [29139614],
        labels: {
          states: { testing: "under test" },
          submit: "ship it",
          priorities: { hotfix: "urgent", later: 4000 },
        },
      },
    });
  });

  test.each(["", "\n", "# nothing\n", "---\n", "{}\n", "labels: {}\n"])(
    "given as %j keeps the defaults",
    (text) => {
      expect(parseRepositoryFile(text)).toEqual({ ok: true, file: noRepositoryFile });
    },
  );

  test.each<[text: string, ...problems: [line: number, key: string, message: RegExp][]]>([
    ["fork: deny\n", [1, "fork", /^is unknown; did you mean forks\?$/]],
    [
      "\nlabels:\n  submit: x\n\n  priorites: {}\n",
      [5, "labels.priorites", /^is unknown; did you mean priorities\?$/],
    ],
    ["windows: []\n", [1, "windows", /^is unknown; known here: requiredStatuses, permission, forks/]],
    ["forks: maybe\n", [1, "forks", /^must be ask-sha or deny$/]],
    ["forks:\n  - deny\n", [1, "forks", /^must be ask-sha or deny$/]],
    ["bots: [1,\n  renovate]\n", [2, "bots.1", /^must be a number, not a string$/]],
    ["bots:\n  - 1.5\n", [2, "bots.0", /^must be a whole number$/]],
    ["rebasingBots: [41898282]\n", [1, "rebasingBots.0", /^is github-actions\[bot\]: /]],
    ["requiredStatuses: []\n", [1, "requiredStatuses", /^must not be empty$/]],
    [
      "labels:\n  priorities:\n    ok: 5\n    a: urgnt\n",
      [4, "labels.priorities.a", /^must be urgent, high, medium, low, or a number/],
    ],
    [
      "labels:\n  submit: go\n  states:\n    tested: x\n    merged: y\n",
      [4, "labels.states.tested", /^is unknown; did you mean testing\?$/],
    ],
    [
      "labels:\n  submit: go\n  states:\n    merged: go\n",
      [4, "labels.states.merged", /^is a label that gives a command$/],
    ],
    ["- a\n", [1, "", /^must be an object, not a list$/]],
    ["forks: deny\nforks: deny\n", [2, "", /^is not valid YAML: Map keys must be unique$/]],
    [
      'commitTitle: "{{ title }} (#{number})"\n',
      [1, "commitTitle", /^has \{\{ title \}\}; a placeholder has single braces/],
    ],
    ["a: [\n", [2, "", /^is not valid YAML: /]],
    ["a: 1\nb: 2\n", [1, "a", /unknown/], [2, "b", /unknown/]],
    [`a: ${"x".repeat(70_000)}`, [1, "", /^is longer than 65536 characters$/]],
    ["a: &a [1]\nb: [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a,*a,*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\n", [1, "", /alias/]],
  ])("given as %j is rejected with its errors and their lines", (text, ...problems) => {
    expect(parseRepositoryFile(text)).toEqual({
      ok: false,
      path: ".github/trainyard.yml",
      problems: problems.map(([line, key, message]) => ({
        line,
        key,
        message: expect.stringMatching(message),
      })),
    });
  });

  test("with random content is parsed without an exception, and its errors are on existing lines", () => {
    const pieces = [
      ..."ab:-[]{}&*!|>'\"#% \n\t",
      "forks: ",
      "labels:\n  ",
      "- ",
      "deny",
      "null",
      "1",
      "__proto__: ",
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 40 }), (parts) => {
        const text = parts.join("");
        const parsed = parseRepositoryFile(text);
        const lines = text.split("\n").length;
        for (const { line } of parsed.ok ? [] : parsed.problems) {
          expect(line).toBeGreaterThanOrEqual(1);
          expect(line).toBeLessThanOrEqual(lines);
        }
      }),
      { numRuns: draws(2_000) },
    );
  });
});

describe("the repository file's JSON schema for editors", () => {
  const published: object = JSON.parse(
    readFileSync(new URL("../../docs/trainyard.schema.json", import.meta.url), "utf8"),
  );
  const validate = new Ajv2020({ strict: false }).compile(published);

  test("is published as scripts/write-repository-file-schema.ts generates it", () => {
    expect(published).toEqual(repositoryFileJsonSchema());
  });

  test("accepts what the parser accepts, and rejects misspelt keys and invalid values", () => {
    expect(validate(parseYaml(full))).toBe(true);
    expect(validate({})).toBe(true);
    for (const text of [
      "fork: deny",
      "forks: maybe",
      "labels: {submt: x}",
      "bots: [x]",
      "requiredStatuses: []",
    ]) {
      expect(validate(parseYaml(text))).toBe(false);
      expect(parseRepositoryFile(text).ok).toBe(false);
    }
  });
});

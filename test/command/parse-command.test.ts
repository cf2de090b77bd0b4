import { describe, expect, test } from "@jest/globals";
import { parseCommands } from "../../src/command/parse-command.ts";
import fc from "../drawn.ts";

function parse(body: string) {
  return parseCommands(body, "/trainyard");
}

const plainMerge = { type: "merge", sha: null, priority: null, noBatch: null };

describe("a comment commands", () => {
  test.each([
    ["/trainyard merge", plainMerge],
    ["  /trainyard   merge  ", plainMerge],
    ["/trainyard MERGE", plainMerge],
    ["Looks good!\r\n\r\n/trainyard merge\r\nThanks", plainMerge],
    ["Looks good!\n/trainyard merge", plainMerge],
    ["/trainyard merge abcdef1234", { ...plainMerge, sha: "abcdef1234" }],
    ["/trainyard merge --no-batch", { ...plainMerge, noBatch: true }],
    ["/trainyard merge -p high", { ...plainMerge, priority: { value: 10, name: "high", isDefault: false } }],
    ["/trainyard merge --priority=7", { ...plainMerge, priority: { value: 7, name: "7", isDefault: false } }],
    [
      "/trainyard merge --priority=Urgent",
      { ...plainMerge, priority: { value: 0, name: "urgent", isDefault: false } },
    ],
    ["/trainyard cancel", { type: "cancel" }],
  ])("%j", (body, command) => {
    expect(parse(body)).toEqual([{ ok: true, command }]);
  });

  test("several things, one a line, in order", () => {
    const commands = parse("/trainyard cancel\n/trainyard merge\n").map(
      (parsed) => parsed.ok && parsed.command.type,
    );
    expect(commands).toEqual(["cancel", "merge"]);
  });
});

describe("a comment commands nothing", () => {
  test.each([
    ["without the prefix", "merge"],
    ["with the prefix inside a line", "please /trainyard merge"],
    ["with another word that begins like the prefix", "/trainyards merge"],
    ["in a quote", "> /trainyard merge"],
    ["in a lazy quote", "> quoted\n/trainyard merge"],
    ["in a fence", "```\n/trainyard merge\n```"],
    ["in indented code", "text\n\n    /trainyard merge"],
    ["in inline code", "`/trainyard merge`"],
    ["in a list", "- /trainyard merge"],
    ["in HTML", "<details>\n/trainyard merge\n</details>"],
    ["in a comment of HTML", "<!--\n/trainyard merge\n-->"],
    ["in a link", "[/trainyard merge](https://example.com)"],
    ["in bold", "**/trainyard merge**"],
    ["with an escaped slash", "\\/trainyard merge"],
    ["in a heading", "# /trainyard merge"],
    ["with a look-alike letter", "/trаinyard merge"],
  ])("%s", (_how, body) => {
    expect(parse(body)).toEqual([]);
  });

  test("whatever it says, as long as no line begins with the prefix", () => {
    fc.assert(
      fc.property(
        fc.string({ maxLength: 400, unit: fc.constantFrom(..."ab \n\r\t>`*_-#<[](/trainyard merge") }),
        (text) => {
          const begins = /^ {0,3}\/trainyard(\s|$)/m.test(text);
          if (!begins) expect(parse(text)).toEqual([]);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});

describe("a command that is not understood", () => {
  test.each([
    ["/trainyard", /What should be done\?/],
    ["/trainyard marge", /`marge` is no command/],
    ["/trainyard merge now", /`now` means nothing here/],
    ["/trainyard merge --force", /`--force` means nothing here/],
    ["/trainyard merge --priority=soon", /`soon` is no priority/],
    ["/trainyard merge -p", /`` is no priority/],
    ["/trainyard cancel it", /`it` means nothing here/],
  ])("%s is answered with the usage", (body, problem) => {
    const [parsed] = parse(body);
    expect(parsed).toMatchObject({ ok: false });
    expect(parsed?.ok === false && parsed.problem).toMatch(problem);
    expect(parsed?.ok === false && parsed.problem).toContain("Use `/trainyard ");
  });
});

import { expect, test } from "@jest/globals";
import { parseDependsOn } from "../../src/command/parse-depends-on.ts";

const url = "https://github.com/acme/widgets/pull/7";
const own = (...numbers: number[]) => ({ own: numbers, foreign: [], unreadable: [] });
const foreign = (...names: string[]) => ({ own: [], foreign: names, unreadable: [] });
const unreadable = (...lines: string[]) => ({ own: [], foreign: [], unreadable: lines });

test.each([
  "Depends-On: #12",
  "depends-on:#12",
  "DEPENDS-ON: #12  ",
  "Depends on #12",
  "Depends-On #12",
  "Depends On: #12",
  "Depends on: #12.",
  "Depends_on: #12",
  "DependsOn: #12",
  "Depend on #12",
  "This PR depends on #12.",
  "It depends on #12",
  "This pull request also depends on #12",
  "Depends on PR #12",
  "Depends on pull request #12",
  "Depends on: GH-12",
  "Depends-On: 12",
  "Depends-On: #12 (the parser)",
  "Depends-On: #12 - the parser",
  "Depends on #12 for the parser",
  "Depends on #12, which has the parser",
  "Depends-On: acme/widgets#12",
  "Depends-On: Acme/Widgets#12",
  "Depends-On: https://github.com/acme/widgets/pull/12",
  "Depends-On: <https://github.com/Acme/Widgets/pull/12>",
  "Depends-On: https://github.com/acme/widgets/pull/12/files",
  "Depends-On: https://github.com/acme/widgets/pull/12#discussion_r1.",
  "Depends-On: [#12](https://github.com/acme/widgets/pull/12)",
  "[Depends on](https://github.com/acme/widgets/pull/12)",
  "Depends-On: [the parser](https://github.com/acme/widgets/pull/12)",
  "**Depends-On:** #12",
  "**Depends-On**: #12",
  "*Depends on* #12",
  "__Depends on:__ #12",
  "_Depends on #12_",
  "`Depends-On: #12`",
  "<b>Depends-On:</b> #12",
  "Text.<br>Depends-On: #12<br/>Text.",
  "- Depends-On: #12",
  "* Depends-On: #12",
  "+ Depends-On: #12",
  "1. Depends-On: #12",
  "- [ ] Depends on #12",
  "- [x] Depends on #12",
  "### Depends on #12",
  "## Depends on\n\n- #12",
  "Depends on:\n\n* the parser\n".replace("the parser", "#12 the parser"),
  "Depends-On:\n#12",
  "Depends on:\n1. acme/widgets#12\n\nText.",
  "| Depends-On | #12 |",
  "| **Depends on** | [#12](https://github.com/acme/widgets/pull/12) |",
  "Depends\u00A0on:\u00A0#12",
  "Depends\u2011On: #12",
  "Ｄｅｐｅｎｄｓ－Ｏｎ：＃１２".replace("－", "-"),
  "\u200BDepends-On:\u200B #12",
  "🔗 Depends on #12",
  ":warning: Depends on #12",
  "(depends on #12)",
  "**Note:** this PR depends on #12",
  "Please note that it depends on #12",
  "[depends on #12]",
  "Depends upon #12",
  "This PR is dependent on #12",
  "Depends on PR 12",
  "This depends on pull request 12.",
  "Depends-On: 12.",
  "Depends on:\n  - PR 12",
  "Depends on the following PR:\n\n- #12 (the parser)",
  "Depends on these:\n- lodash\n- #12",
  "> [!IMPORTANT]\n> **Depends on** #12",
  "> [!NOTE]  \n> Text.\n> - Depends on #12\n\n> Depends on #1",
  "| Depends on |\n|---|\n| #12 |",
  "- Depends on\n  - #12",
  "<details>\n<summary>Links</summary>\n\nDepends-On: #12\n</details>",
  "```npm ci```\n\nDepends-On: #12",
  "````\n```\nDepends-On: #1\n````\nDepends-On: #12",
  "It closes `<details>` and `<pre>`.\n\nDepends-On: #12",
  "It reads `<!--`.\n\nDepends-On: #12",
  "Text.\r\n\r\nDepends-On: #12\r\n",
  "Depends-On: #12\nDepends-On: #12",
])("the description %j depends on #12", (description) => {
  expect(parseDependsOn(description, url)).toEqual(own(12));
});

test.each([
  "Depends-On: #3, #12",
  "Depends-On: #3 #12",
  "Depends-On: #12 and #3",
  "Depends on PRs #3, #12, and #3",
  "Depends on: PR #3; PR #12",
  "Depends-On: #3 & #12 (both)",
  "Depends-On:\n- #3\n- #12\n",
  "Depends-On:\n\n- #3: the parser\n\n- acme/widgets#12",
  "- Depends-On: #3\n- Depends-On: #12",
])("the description %j depends on #3 and #12", (description) => {
  expect(parseDependsOn(description, url)).toEqual(own(3, 12));
});

test.each([
  ["Depends-On: other/repo#5", "other/repo#5"],
  ["Depends on other/repo#5.", "other/repo#5"],
  ["Depends-On: https://github.com/Other/repo/pull/5", "Other/repo#5"],
])("the description %j depends on a pull request of another repository", (description, name) => {
  expect(parseDependsOn(description, url)).toEqual(foreign(name));
});

test.each([
  "Depends-On: the parser",
  "Depends-On: #0",
  "Depends-On: repo#5",
  "Depends-On: !5",
  "Depends-On: TBD",
  "Depends-On: #1 or #2",
  "Depends-On: #1 (and #2)",
  "Depends on the work in #12",
  "Depends on the work in PR 12",
  "Depends-On: #twelve",
  "Depends-On: https://github.example/acme/widgets/pull/12",
  "Depends-On: https://github.com/acme/widgets/commit/12",
  "Depends-On: I8473b95934b5732ac55d26311a706c9c2bde9940",
  "**Depends on:** see above",
])("the line %j is quoted, because it cannot be read", (line) => {
  expect(parseDependsOn(`Text.\n\n${line}\n`, url)).toEqual(unreadable(line));
});

test("an item of a list of dependencies that cannot be read is quoted, and the others count", () => {
  const read = parseDependsOn("Depends on:\n- #1\n- the parser\n\nIt also does more.\n- #3 is fixed", url);
  expect(read).toEqual({ own: [1], foreign: [], unreadable: ["- the parser"] });
});

test.each([
  "",
  "Depends-On:",
  "Depends-On:\n\nIt is a fix.",
  "## Depends on\n\n## Why",
  "Depends-On: none",
  "Depends on: N/A",
  "Depends-On: -",
  "## Depends on\n- none",
  "It says Depends-On: #12",
  "Depends on the weather.",
  "Depends on 3 things",
  "Depends on the following packages:\n- lodash\n- react",
  "It no longer depends on #12",
  "Independent of #12",
  "Depends only on itself",
  "> Depends-On: #12",
  "~~Depends-On: #12~~",
  "<!-- Depends-On: #12 -->",
  "<!--\nDepends-On: #12\n-->",
  "```\nDepends-On: #12\n```",
  "~~~\nDepends-On: #12",
  "<details>\n<summary>Release notes</summary>\n\n- depends on #12\n</details>",
  "<blockquote>\n<li>Depends on #12</li>\n</blockquote>",
])("the description %j declares no dependency", (description) => {
  expect(parseDependsOn(description, url)).toEqual(own());
});

test("text after what is not read counts", () => {
  const hidden = [
    "<!--\nDepends-On: #1\n-->",
    "```\nDepends-On: #2\n```",
    "<details>\n- It depends on #3\n</details>",
  ];
  expect(parseDependsOn(`${hidden.join("\n")}\nDepends-On: #13`, url)).toEqual(own(13));
});

test("a line that exceeds twenty dependencies is quoted, and a hostile description is parsed fast", () => {
  const many = Array.from({ length: 21 }, (_, index) => `Depends-On: #${index + 1}`);
  const read = parseDependsOn(many.join("\n"), url);
  expect([read.own.length, read.unreadable]).toEqual([20, ["Depends-On: #21"]]);
  const before = process.threadCpuUsage();
  const pieces = [
    "<!--",
    "```\n",
    "\n\t ",
    "Depends-On: ",
    " ",
    "- ",
    "#1 ",
    "[",
    "[](",
    "<a",
    "~~",
    "_",
    "depends on #1,",
    "| ",
  ];
  for (const piece of pieces) {
    parseDependsOn(piece.repeat(60_000 / piece.length), url);
    parseDependsOn(`Depends-On: ${piece.repeat(60_000 / piece.length)}`, url);
  }
  const { user, system } = process.threadCpuUsage(before);
  expect((user + system) / 1_000).toBeLessThan(3_000);
});

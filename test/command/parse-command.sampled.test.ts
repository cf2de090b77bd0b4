import { describe, expect, test } from "@jest/globals";
import MarkdownIt from "markdown-it";
import { findBlocks, mark } from "../../src/command/markdown.ts";
import { type ParsedCommand, parseCommands } from "../../src/command/parse-command.ts";
import { misplacesCommand } from "../../src/command/understand.ts";
import fc from "../drawn.ts";
import { draws } from "../sampled.ts";
import { comments } from "./comments.ts";
import { problemOf, showCommand } from "./outcome-of.ts";

function parse(body: string, prefix = "/trainyard") {
  return parseCommands(body, prefix);
}

/** A command in the notation of `comments.ts`. */
function show(parsed: ParsedCommand): string {
  return parsed.ok ? showCommand(parsed) : `? ${problemOf(parsed)}`;
}

describe("the comment", () => {
  test("is one of at least 150 different ones in the table of this test", () => {
    expect(comments.length).toBeGreaterThanOrEqual(150);
    expect(new Set(comments.map(([body]) => body)).size).toBe(comments.length);
  });

  test.each(comments.map(([body, ...outcome]) => [nameOf(body), body, outcome] as const))(
    "%s gives exactly the expected commands",
    (_name, body, outcome) => {
      expect(parse(body).map(show)).toEqual(outcome);
    },
  );
});

/** Pieces that affect how Markdown reads a line. */
const pieces = [
  ..."ab \n\r\t>`*_-#<[](|)\\&:!=~+1.\u00a0\u200b",
  ..."merge cancel /trainyard trainyard / /trainyard\n```\n <!-- --> <details> </details> \n\n".split(" "),
  "    ",
  "/trainyard merge",
];

const text = fc.array(fc.constantFrom(...pieces), { maxLength: 60 }).map((parts) => parts.join(""));

describe("any comment", () => {
  test("gives no command unless the prefix is a separate word at the start of a line", () => {
    fc.assert(
      fc.property(text, (body) => {
        const begins = body
          .split(/\r\n?|\n/)
          .some((line) =>
            /^ {0,3}(?:[\u00a0\u200b][ \t\u00a0\u200b]*)?\/trainyard[:,.]?(?:[\s\u200b]|$)/.test(line),
          );
        if (!begins) expect(parse(body)).toEqual([]);
      }),
      { numRuns: draws(5_000) },
    );
  });

  test("gives no command in a quote, a fence or an HTML comment", () => {
    fc.assert(
      fc.property(text, (body) => {
        const quoted = body
          .split(/\r\n?|\n/)
          .map((line) => `> ${line}`)
          .join("\n");
        expect(parse(quoted)).toEqual([]);
        expect(parse(`\`\`\`\`\`\`\n${body.replaceAll("`", "")}\n\`\`\`\`\`\``)).toEqual([]);
        expect(parse(`<!--\n${body.replaceAll("-->", "")}\n-->`)).toEqual([]);
      }),
      { numRuns: draws(2_000) },
    );
  });

  test("has the same marked paragraphs and HTML blocks as in the full Markdown parser", () => {
    const markdown = new MarkdownIt({ html: true });
    const hasMark = ({ type, content }: { type: string; content: string }) =>
      type === "html_block" || content.includes(mark);
    const shown = ({ type, content }: { type: string; content: string }) => [type, content];
    fc.assert(
      fc.property(text, (plain) => {
        const body = plain.replaceAll("/trainyard", mark);
        const all = markdown.parse(body, {});
        const expected = all.filter(({ type }, at) => {
          const before = all[at - 1];
          return type === "html_block" || (before?.type === "paragraph_open" && before.level === 0);
        });
        expect(findBlocks(body, {}).filter(hasMark).map(shown)).toEqual(expected.filter(hasMark).map(shown));
      }),
      { numRuns: draws(4_000) },
    );
  });

  test("gives at most one command or error for each line that starts with the prefix", () => {
    fc.assert(
      fc.property(text, (body) => {
        const lines = body
          .split(/\r\n?|\n/)
          .filter((line) => line.replace(/^[\s\u200b]+/, "").startsWith("/trainyard"));
        expect(parse(body).length).toBeLessThanOrEqual(lines.length);
      }),
      { numRuns: draws(2_000) },
    );
  });

  test("is parsed without an exception", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (noise) => {
        expect(Array.isArray(parse(`${noise}\n\n/trainyard ${noise}\n${noise}`))).toBe(true);
      }),
      { numRuns: draws(2_000) },
    );
  });
});

test("the command prefix is configurable", () => {
  expect(parse("/trainyard merge\n/mq cancel", "/mq").map(show)).toEqual(["cancel"]);
  expect(parse("/mq marge", "/mq")).toEqual([
    expect.objectContaining({ problem: expect.stringContaining("Did you mean `/mq merge`?") }),
  ]);
});

test.each([
  [
    "/trainyard",
    "`/trainyard merge`, `/trainyard try`, `/trainyard cancel`, `/trainyard restart`, `/trainyard status`",
  ],
  ["/trainyard merge now", "Use `/trainyard merge [<sha>] [--priority=<urgent|high|medium|low|number>]"],
  ["/trainyard pause --now", 'Use `/trainyard pause [--reason="…"]`.'],
])("%j gets the usage as an answer", (body, usage) => {
  expect(parse(body)).toEqual([
    expect.objectContaining({ ok: false, problem: expect.stringContaining(usage) }),
  ]);
});

function nameOf(body: string): string {
  const written = JSON.stringify(body);
  return written.length > 70 ? `${written.slice(0, 40)} … ${written.slice(-20)} (${body.length})` : written;
}

describe("a comment that gives no command", () => {
  test.each([
    "- /trainyard merge",
    "1. /trainyard merge",
    "```\n/trainyard merge\n```",
    "    /trainyard merge",
    "`/trainyard merge`",
    "**/trainyard merge**",
    "# /trainyard merge",
    "<details>\n\n/trainyard merge\n\n</details>",
    "Look:\r\n- /Trainyard MERGE --priority=high",
    "- [ ] /trainyard merge",
    "LGTM! /trainyard merge",
    "trainyard merge",
    "//trainyard merge",
    "/trainyard-merge",
    "<kbd>/trainyard merge</kbd>",
    "- /trainyard queue",
  ])("is recognised as misplacing a command: %j", (body) => {
    expect(parse(body)).toEqual([]);
    expect(misplacesCommand(body, "/trainyard")).toBe(true);
  });

  test.each([
    "Comment `/trainyard merge` to queue it.",
    "\\/trainyard merge",
    "> /trainyard merge",
    "> > /trainyard cancel\nNo!",
    "Look:\r\n > /trainyard MERGE --priority=high",
    "> /trainyard is what we use",
    "> /trainyard",
    "> /trainyards merge",
    "> /trainyard merge-queue",
    "see https://example.com/trainyard merge",
  ])("is not recognised as misplacing a command if it only mentions or quotes one: %j", (body) => {
    expect(parse(body)).toEqual([]);
    expect(misplacesCommand(body, "/trainyard")).toBe(false);
  });
});

import { describe, expect, test } from "@jest/globals";
import MarkdownIt from "markdown-it";
import { findBlocks, mark } from "../../src/command/blocks.ts";
import { type ParsedCommand, parseCommands } from "../../src/command/parse-command.ts";
import { quotesCommand } from "../../src/command/quoted-command.ts";
import fc from "../drawn.ts";
import { comments } from "./comments.ts";

function parse(body: string, prefix = "/trainyard") {
  return parseCommands(body, prefix);
}

const quotedValues = ["reason", "title", "message"];

/** A command as `comments.ts` writes it. */
function show(parsed: ParsedCommand): string {
  if (!parsed.ok)
    return `? ${parsed.problem.replace(/ (?:Use (?:one of )?`\/trainyard.*|Nothing was done\.)$/s, "")}`;
  const { type, ...values } = parsed.command;
  const set = Object.entries(values).flatMap(([name, value]) => {
    if (value === null) return [];
    if (typeof value === "object") return [`${name}=${value.value}`];
    return [`${name}=${quotedValues.includes(name) ? JSON.stringify(value) : value}`];
  });
  return [type, ...set].join(" ");
}

describe("a comment commands exactly this", () => {
  test("in at least 150 ways, each written once", () => {
    expect(comments.length).toBeGreaterThanOrEqual(150);
    expect(new Set(comments.map(([body]) => body)).size).toBe(comments.length);
  });

  test.each(comments.map(([body, ...outcome]) => [nameOf(body), body, outcome] as const))(
    "%s",
    (_name, body, outcome) => {
      expect(parse(body).map(show)).toEqual(outcome);
    },
  );
});

/** Pieces that decide what Markdown makes of a line. */
const pieces = [
  ..."ab \n\r\t>`*_-#<[](|)\\&:!=~+1.\u00a0\u200b",
  ..."merge cancel /trainyard trainyard / /trainyard\n```\n <!-- --> <details> </details> \n\n".split(" "),
  "    ",
  "/trainyard merge",
];

const text = fc.array(fc.constantFrom(...pieces), { maxLength: 60 }).map((parts) => parts.join(""));

describe("whatever a comment says", () => {
  test("nothing is commanded unless the prefix stands alone at the start of a line", () => {
    fc.assert(
      fc.property(text, (body) => {
        const begins = body.split(/\r\n?|\n/).some((line) => /^ {0,3}\/trainyard(?:[ \t]|$)/.test(line));
        if (!begins) expect(parse(body)).toEqual([]);
      }),
      { numRuns: 5_000 },
    );
  });

  test("nothing is commanded in a quote, in a fence or in a comment of HTML", () => {
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
      { numRuns: 2_000 },
    );
  });

  test("its marked paragraphs and its HTML are what the parser of Markdown says by itself", () => {
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
      { numRuns: 4_000 },
    );
  });

  test("what is commanded, and how a misunderstanding is answered, is one line of it", () => {
    fc.assert(
      fc.property(text, (body) => {
        const lines = body.split(/\r\n?|\n/).filter((line) => line.trimStart().startsWith("/trainyard"));
        expect(parse(body).length).toBeLessThanOrEqual(lines.length);
      }),
      { numRuns: 2_000 },
    );
  });

  test("it is read without an error", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (noise) => {
        expect(Array.isArray(parse(`${noise}\n\n/trainyard ${noise}\n${noise}`))).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });
});

test("the prefix is a setting", () => {
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
])("%j is answered with the usage", (body, usage) => {
  expect(parse(body)).toEqual([
    expect.objectContaining({ ok: false, problem: expect.stringContaining(usage) }),
  ]);
});

function nameOf(body: string): string {
  const written = JSON.stringify(body);
  return written.length > 70 ? `${written.slice(0, 40)} … ${written.slice(-20)} (${body.length})` : written;
}

describe("a comment that commands nothing", () => {
  test.each([
    "> /trainyard merge",
    "> > /trainyard cancel\nNo!",
    "- /trainyard merge",
    "1. /trainyard merge",
    "```\n/trainyard merge\n```",
    "    /trainyard merge",
    "`/trainyard merge`",
    "**/trainyard merge**",
    "# /trainyard merge",
    "<details>\n\n/trainyard merge\n\n</details>",
    "Look:\r\n> /trainyard MERGE --priority=high",
  ])("may hold what would be a command: %j", (body) => {
    expect(parse(body)).toEqual([]);
    expect(quotesCommand(body, "/trainyard")).toBe(true);
  });

  test.each([
    "Comment `/trainyard merge` to queue it.",
    "\\/trainyard merge",
    "> /trainyard is what we use",
    "> /trainyard",
    "> /trainyards merge",
    "> /trainyard merge-queue",
    "see https://example.com/trainyard merge",
  ])("may only speak of them: %j", (body) => {
    expect(parse(body)).toEqual([]);
    expect(quotesCommand(body, "/trainyard")).toBe(false);
  });
});

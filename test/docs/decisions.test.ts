import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "@jest/globals";

const root = join(import.meta.dirname, "../..");
const read = (file: string): string => readFileSync(join(root, file), "utf8");

const documents = globSync(["*.md", "{docs,bench,client,test}/**/*.md"], { cwd: root });
const sources = globSync(["*.ts", "{src,test,tools,docs,scripts,bench,migrations}/**/*.{ts,yml}"], {
  cwd: root,
});
const pages = globSync("docs/adr/[0-9]*.md", { cwd: root }).map((file) => file.slice("docs/adr/".length));
const index = read("docs/adr/README.md");

/** Numbers of decisions that a text names: `ADR 5`, `ADR 5, 16`, `ADR 5 and 16`. */
function citedNumbers(text: string): number[] {
  const citations = text.match(/\bADRs? \d+(?:(?:,| and)(?: ADR)? \d+\b(?!\.\d))*/g) ?? [];
  return citations.flatMap((citation) => citation.match(/\d+/g) ?? []).map(Number);
}

/** The fragments by which GitHub addresses the headings of a page. */
function headingFragments(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

function isBroken(link: string, file: string): boolean {
  const [path = "", fragment] = link.split("#");
  const target = path === "" ? file : join(dirname(file), path);
  if (!existsSync(join(root, target))) return true;
  return (
    fragment !== undefined && target.endsWith(".md") && !headingFragments(read(target)).includes(fragment)
  );
}

describe("the decisions in docs/adr", () => {
  test("have numbers of their own, which name and title agree on", () => {
    const numbers = pages.map((page) => {
      const [, digits, rest] = /^(\d{4})-([a-z0-9]+(?:-[a-z0-9]+)*)\.md$/.exec(page) ?? [];
      expect({ page, named: rest !== undefined }).toEqual({ page, named: true });
      expect(read(`docs/adr/${page}`)).toMatch(new RegExp(`^# ${Number(digits)}\\. `));
      return digits;
    });
    expect(new Set(numbers).size).toBe(pages.length);
  });

  test("have at most 60 lines, and one line each in the index", () => {
    const long = pages.filter((page) => read(`docs/adr/${page}`).split("\n").length > 61);
    expect(long).toEqual([]);
    const listed = [...index.matchAll(/^- \[(\d+)\]\((\d{4})-(.+?)\): ./gm)];
    expect(listed.map(([, , digits, rest]) => `${digits}-${rest}`).sort()).toEqual([...pages].sort());
    expect(listed.filter(([, number, digits]) => Number(number) !== Number(digits))).toEqual([]);
  });

  test("are all that code and documents cite", () => {
    const known = new Set(pages.map((page) => Number(page.slice(0, 4))));
    const unknown = [...documents, ...sources].flatMap((file) =>
      citedNumbers(read(file))
        .filter((number) => !known.has(number))
        .map((number) => `${file}: ADR ${number}`),
    );
    expect(unknown).toEqual([]);
  });
});

test("links between documents lead to files and headings that exist", () => {
  const broken = documents.flatMap((file) =>
    // Code and the placeholders of generated pages are no links.
    [
      ...read(file)
        .replaceAll(/`[^`\n]*`/g, "")
        .matchAll(/\]\(((?!https?:|mailto:)[^)\s{]+)\)/g),
    ]
      .map(([, link = ""]) => link)
      .filter((link) => isBroken(link, file))
      .map((link) => `${file}: ${link}`),
  );
  expect(broken).toEqual([]);
});

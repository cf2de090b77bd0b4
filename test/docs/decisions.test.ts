import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
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

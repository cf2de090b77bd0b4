/**
 * Writes the tables of the Action's inputs and outputs in action.yml into docs/reference/action.md.
 *
 *     node scripts/document-action.ts           writes
 *     node scripts/document-action.ts --check   exits with 1 when the page differs from action.yml
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";

const root = join(import.meta.dirname, "..");
const page = "docs/reference/action.md";
const file = join(root, page);
const marks = { begin: "<!-- action.yml, by scripts/document-action.ts -->\n", end: "<!-- end -->\n" };

interface Manifest {
  readonly inputs: Readonly<Record<string, { description: string; required?: boolean }>>;
  readonly outputs: Readonly<Record<string, { description: string }>>;
}

function tables({ inputs, outputs }: Manifest): string {
  const ofInputs = Object.entries(inputs).map(([name, { description, required }]) =>
    row(name, `${required ? "**Required.** " : ""}${description}`),
  );
  const ofOutputs = Object.entries(outputs).map(([name, { description }]) => row(name, description));
  return [
    ...["| input | what it says |", "|---|---|", ...ofInputs],
    "",
    ...["| output | what it says |", "|---|---|", ...ofOutputs],
    "",
  ].join("\n");
}

function row(name: string, description: string): string {
  return `| \`${name}\` | ${description.trim().replaceAll("|", "\\|")} |`;
}

const text = readFileSync(file, "utf8");
const [before, rest = ""] = text.split(marks.begin);
const [, after] = rest.split(marks.end);
if (after === undefined) throw new Error(`${page} lacks the lines\n${marks.begin}${marks.end}`);
const manifest: Manifest = parse(readFileSync(join(root, "action.yml"), "utf8"));
const written = `${before}${marks.begin}${tables(manifest)}${marks.end}${after}`;
if (!process.argv.includes("--check")) writeFileSync(file, written);
else if (written !== text) {
  console.error(`${page} differs from action.yml. Run npm run document.`);
  process.exitCode = 1;
}

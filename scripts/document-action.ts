/**
 * Writes the tables of the Action's inputs and outputs from action.yml into README.md.
 *
 *     node scripts/document-action.ts           writes the tables
 *     node scripts/document-action.ts --check   exits with 1 when README.md differs from action.yml
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";

const root = join(import.meta.dirname, "..");
const readme = join(root, "README.md");
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

const text = readFileSync(readme, "utf8");
const [before, rest = ""] = text.split(marks.begin);
const [, after] = rest.split(marks.end);
if (after === undefined) throw new Error(`README.md lacks the lines\n${marks.begin}${marks.end}`);
const manifest: Manifest = parse(readFileSync(join(root, "action.yml"), "utf8"));
const written = `${before}${marks.begin}${tables(manifest)}${marks.end}${after}`;
if (!process.argv.includes("--check")) writeFileSync(readme, written);
else if (written !== text) {
  console.error("README.md is not what action.yml says. Run npm run document.");
  process.exitCode = 1;
}

import { globSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";

const root = join(import.meta.dirname, "../..");

export interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
}

export interface Job {
  readonly steps: readonly Step[];
  readonly env?: Readonly<Record<string, string>>;
}

/** A workflow in the documentation, or a part of one. */
export interface Snippet {
  /** The file, and the number of the snippet in it. */
  readonly name: string;
  /** The snippet completed to a whole workflow. */
  readonly text: string;
  readonly jobs: readonly Job[];
}

/** The workflow snippets in README.md and the pages of docs/, without the decisions. */
export function workflowSnippets(): readonly Snippet[] {
  return globSync(["README.md", "docs/*.md", "docs/!(adr)/*.md"], { cwd: root }).flatMap((file) => {
    const blocks = [...readFileSync(join(root, file), "utf8").matchAll(/^( *)```yaml\n(.*?)^ *```$/gms)];
    return blocks.flatMap(([, indent = "", block = ""], at) => {
      const text = wholeWorkflow(block.replaceAll(new RegExp(`^${indent}`, "gm"), ""));
      if (text === null) return [];
      const jobs = Object.values((parse(text) as { jobs: Record<string, Job> }).jobs);
      return [{ name: `${file} ${at + 1}`, text, jobs }];
    });
  });
}

/** The blocks of commands in README.md and the pages of docs/, by file and number. */
export function commandBlocks(): ReadonlyMap<string, string> {
  const files = globSync(["README.md", "docs/*.md", "docs/!(adr)/*.md"], { cwd: root });
  return new Map(
    files.flatMap((file) => {
      const blocks = [...readFileSync(join(root, file), "utf8").matchAll(/^```(?:sh|bash)\n(.*?)^```$/gms)];
      return blocks.map(([, script = ""], at) => [`${file} ${at + 1}`, script] as const);
    }),
  );
}

/** The workflows in docs/workflows. */
export function exampleWorkflows(): readonly Snippet[] {
  const folder = join(root, "docs/workflows");
  return readdirSync(folder).map((name) => {
    const text = readFileSync(join(folder, name), "utf8");
    return { name, text, jobs: Object.values((parse(text) as { jobs: Record<string, Job> }).jobs) };
  });
}

/** Completes the text to a whole workflow; null if it is not part of one. */
function wholeWorkflow(text: string): string | null {
  const parsed: unknown = parse(text);
  if (Array.isArray(parsed)) {
    const steps = text.replaceAll(/^(?=.)/gm, "      ");
    return `on: [push, pull_request]\njobs:\n  snippet:\n    runs-on: ubuntu-latest\n    steps:\n${steps}`;
  }
  const keys = Object.keys(Object(parsed));
  if (keys.includes("jobs")) return text;
  if (!keys.includes("on")) return null;
  return `${text}\njobs:\n  snippet:\n    runs-on: ubuntu-latest\n    steps:\n      - run: "true"\n`;
}

import { readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");

/** Renders `docs/llms.txt` (https://llmstxt.org) from the index of the documents and the first sentences of the README. */
export function renderLlms(): string {
  const [, name, summary] = /^# (.+)\n\n(.+)$/m.exec(readFileSync(join(root, "README.md"), "utf8")) ?? [];
  const index = readFileSync(join(root, "docs/README.md"), "utf8");
  const sections = index.slice(index.indexOf("\n## ")).trim();
  return `# ${name}\n\n> ${summary}\n\n${sections}\n`;
}

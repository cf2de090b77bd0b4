import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { collectTexts } from "./collect-texts.ts";

/** Files whose literals are patterns and names. */
const withoutTexts = [
  "src/command/command-lines.ts",
  "src/command/understand.ts",
  "src/command/other-queues.ts",
  "src/command/typing.ts",
  "src/command/markdown.ts",
  "src/command/commit-trailers.ts",
];

const root = join(import.meta.dirname, "..");

const sections: readonly { title: string; text: string; paths: readonly string[] }[] = [
  {
    title: "Answers to commands",
    text: "The bot writes them into its comment on the pull request.",
    paths: ["src/bot", "src/command"],
  },
  {
    title: "The comment and the check",
    text: "What a pull request shows about its place in the queue, and how its try ended.",
    paths: ["src/service/status"],
  },
  {
    title: "Reasons",
    text: "Why a pull request or a queue is in its state. They appear in the comment, the check, the API, webhooks and pages.",
    paths: ["src/engine/reasons"],
  },
  {
    title: "Why a pull request waits",
    text: "The causes in the check, in the answer to `status`, on the page and in the API.",
    paths: [
      "src/engine/explain",
      "src/engine/model/order/delay.ts",
      "src/engine/policies/beliefs/explain-beliefs.ts",
      "src/engine/policies/fixed/explain-fixed.ts",
    ],
  },
  {
    title: "Refusals and errors of the API",
    text: "Clients get them as problem documents.",
    paths: [
      "src/engine/model/refusal.ts",
      "src/service/runtime/outcome.ts",
      "src/api/problems",
      "src/api/access",
    ],
  },
  {
    title: "What the doctor finds",
    text: "Faults of a repository, on its page, in the API and in the terminal.",
    paths: ["src/service/doctor"],
  },
  {
    title: "Issues about flaky tests",
    text: "",
    paths: ["src/flaky/service/issue-text.ts", "src/flaky/service/test-issues.ts"],
  },
  {
    title: "The dashboard",
    text: "The pages, without the reference of the API.",
    paths: ["src/dashboard", "src/flaky/pages"],
  },
  {
    title: "The command line and the set-up",
    text: "What `trainyard` prints, and its set-up page shows.",
    paths: ["src/cli", "src/settings", "src/main.ts"],
  },
  { title: "The Action", text: "Annotations, summaries and checks of workflows.", paths: ["src/action"] },
];

/** Renders `docs/reference/messages.md`: every text that Trainyard writes to people, by the file that contains it. */
export function renderMessages(): string {
  const parts = sections.map(({ title, text, paths }) => {
    const files = paths.flatMap(sourcesIn).map(renderFile);
    return [`## ${title}`, text, ...files].filter((part) => part !== "").join("\n\n");
  });
  const intro = [
    "# Messages",
    "",
    "Every text of at least two words that Trainyard writes to people, by the file that contains it. `{name}` is a value that is inserted. Log messages are not listed.",
    "",
    "<!-- Generated from the sources by npm run build. -->",
  ].join("\n");
  return `${[intro, ...parts].join("\n\n")}\n`;
}

function sourcesIn(path: string): string[] {
  const full = join(root, path);
  if (statSync(full).isFile()) return [path];
  return readdirSync(full, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map(({ parentPath, name }) => relative(root, join(parentPath, name)))
    .filter((name) => !name.startsWith("src/dashboard/reference") && !withoutTexts.includes(name))
    .sort();
}

function renderFile(name: string): string {
  const texts = collectTexts(readFileSync(join(root, name), "utf8"));
  // Texts contain fences of their own at most with three backticks.
  return texts.length === 0 ? "" : [`### ${name}`, "", "````text", ...texts, "````"].join("\n");
}

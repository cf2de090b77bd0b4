import type { ReasonGuide } from "../src/engine/reasons/reason.ts";
import { reasonGuides } from "../src/engine/reasons/reason-guide.ts";

const sections: readonly { kind: ReasonGuide["kind"]; title: string; text: string }[] = [
  { kind: "submitted", title: "How it came in", text: "Who submitted the pull request." },
  { kind: "waits", title: "It waits", text: "It is in the queue, and is not tested yet." },
  {
    kind: "tested again",
    title: "It is tested",
    text: "Why a test began, or why it began once more. The pull request stays in the queue.",
  },
  {
    kind: "passed",
    title: "It passed",
    text: "It merges as soon as everything ahead of it has merged or left.",
  },
  { kind: "merged", title: "It merged", text: "It is on the target branch." },
  {
    kind: "left",
    title: "It left the queue",
    text: "It is not merged. Once the cause is gone, submit it again: comment `/trainyard merge`, or as you did before.",
  },
  {
    kind: "queue",
    title: "The queue's own state",
    text: "Why the queue runs, drains or is paused. Pull requests keep their places meanwhile.",
  },
];

/** Renders `docs/reference/reasons.md`: every reason code, what it means, and what to do. */
export function renderReasons(): string {
  const guides = Object.entries(reasonGuides);
  const parts = sections.map(({ kind, title, text }) => {
    const rows = guides
      .filter(([, guide]) => guide.kind === kind)
      .map(([code, guide]) => {
        const forPrograms = guide.kind === "left" ? ` \`${guide.cause}\`, \`${guide.next}\` |` : "";
        return `| \`${code}\` | ${guide.meaning} | ${guide.advice ?? "Nothing."} |${forPrograms}`;
      });
    const head =
      kind === "left"
        ? ["| code | what happened | what to do | `cause`, `nextAction` |", "|---|---|---|---|"]
        : ["| code | what happened | what to do |", "|---|---|---|"];
    return [`## ${title}`, "", text, "", ...head, ...rows].join("\n");
  });
  const intro = [
    "# Reasons",
    "",
    "Each change of a pull request in the queue, and of the queue itself, has a reason with a code. The code stands in the API (`reason`, `stateReason`), in webhooks and on the pages; the pull request's check and comment say the same in a",
    "sentence, with the names and numbers of the case.",
    "",
    "<!-- Made of src/engine/reasons/reason-guide.ts by npm run build. -->",
  ].join("\n");
  return `${[intro, ...parts].join("\n\n")}\n`;
}

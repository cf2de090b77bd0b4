import type { ParsedCommand } from "../../src/command/parse-command.ts";
import { understand } from "../../src/command/understand.ts";

const places = {
  comment: { place: null, before: null },
  review: { place: "review", before: null },
  line: { place: "line", before: null },
  description: { place: "description", before: null },
  "edited comment": { place: null, before: "Looks good." },
  "edited review": { place: "review", before: "Looks good." },
  "edited line": { place: "line", before: "Looks good." },
  "edited description": { place: "description", before: "Looks good." },
} as const;

export type Place = keyof typeof places;
export type Form = readonly [place: Place, text: string, outcome: string];

/** Returns what becomes of a text, in the notation of `forms-of-commands.ts`. */
export function outcomeOf(place: Place, body: string): string {
  const understood = understand({ body, ...places[place] }, "/trainyard");
  switch (understood.type) {
    case "commands":
      return understood.commands.map(show).join("; ");
    case "other_queue":
      return `answered: ${understood.command.bot ?? "another bot"}'s command for ${understood.command.verb}`;
    case "not_plain_text":
      return "answered: must stand on its own line";
    case "not_a_comment":
      return "answered: not here, but in a comment or a review";
    case "edited":
      return "answered: edits are ignored";
    case "prose":
      return "prose";
  }
}

const quotedValues = ["reason", "title", "message"];

function show(parsed: ParsedCommand): string {
  return parsed.ok ? `done: ${showCommand(parsed)}` : `answered: ${problemOf(parsed)}`;
}

/** The problem without the usage. */
export function problemOf({ problem }: Extract<ParsedCommand, { ok: false }>): string {
  return problem.replace(/ (?:Use (?:one of )?`\/trainyard.*|Nothing was done\.)$/s, "");
}

/** A command with `name=value` for its settings. */
export function showCommand({ command }: Extract<ParsedCommand, { ok: true }>): string {
  const { type, ...values } = command;
  const set = Object.entries(values).flatMap(([name, value]) => {
    if (value === null) return [];
    if (typeof value === "object") return [`${name}=${value.value}`];
    return [`${name}=${quotedValues.includes(name) ? JSON.stringify(value) : value}`];
  });
  return [type, ...set].join(" ");
}

import { plainLines, wholeLine } from "./command-lines.ts";
import type { Verb } from "./parse-command.ts";
import { space } from "./typing.ts";

/** What other merge queues and chat bots call our commands. */
const synonyms: Readonly<Partial<Record<Verb, readonly string[]>>> = {
  merge: ["r+", "queue", "enqueue", "requeue", "land", "ship", "squash", "automerge", "submit", "add", "q+"],
  try: ["test", "dry-run"],
  cancel: ["r-", "dequeue", "unqueue", "stop", "abort", "remove", "unmerge", "q-"],
  restart: ["retry", "rerun", "re-run", "retest", "recheck"],
  status: ["info", "position", "where"],
  pause: ["freeze", "hold"],
  resume: ["unfreeze", "unpause", "start", "continue"],
};

const meant: ReadonlyMap<string, Verb> = new Map(
  (Object.keys(synonyms) as Verb[]).flatMap((verb) => (synonyms[verb] ?? []).map((word) => [word, verb])),
);
export const otherWords = [...meant.keys()];

/** Returns our verb for a word of another bot; null when no bot uses the word. */
export function meantVerb(word: string): Verb | null {
  return meant.get(word.toLowerCase()) ?? null;
}

/** What people write as a whole comment when they mean a command. Other words, such as `ship`, are as often conversation. */
const bare: Words = {
  merge: String.raw`(?:r\+|r=\S+|merge|queue|enqueue|requeue|automerge)`,
  try: "try",
  cancel: "(?:r-|dequeue|unqueue|cancel|stop)",
  restart: "(?:retry|rerun|restart|retest)",
};

/** Options of bors after a command. */
const options = String.raw`(?:${space}+(?:p|rollup|priority)(?:[=+-]\S*)?)*`;

/** The commands of other bots that have a counterpart here. Bots without such commands are left out. */
const bots: readonly { readonly name: string | null; readonly address: string; readonly words: Words }[] = [
  {
    name: "bors",
    address: "[@/]?(?:bors|homu|bors-ng|rust-bors|bors-servo)",
    words: {
      merge: String.raw`(?:r\+|r=\S+|merge)${options}`,
      cancel: "(?:r-|merge-|try-|cancel)",
      restart: "retry",
      try: "try",
      help: "(?:ping|help)",
    },
  },
  {
    name: "Mergify",
    address: "@mergify(?:io)?",
    words: { merge: `(?:queue|requeue|merge)(?:${space}+[\\w-]+)?`, cancel: "(?:dequeue|unqueue)" },
  },
  { name: "Kodiak", address: "@kodiak(?:hq|bot)?", words: { merge: "(?:merge|queue)", cancel: "cancel" } },
  {
    name: "Dependabot",
    address: "@dependabot",
    words: { merge: "(?:squash and )?merge", cancel: "cancel merge" },
  },
  { name: "Aviator", address: "(?:/|@)aviator", words: { merge: "merge", cancel: "cancel" } },
  { name: "Trunk", address: "/trunk", words: { merge: "(?:merge|queue)", cancel: "cancel" } },
  {
    name: null,
    address: "/",
    words: {
      merge: String.raw`(?:merge(?:${space}+(?:squash|rebase))?|r\+|queue|enqueue|requeue|land|automerge)`,
      cancel: "(?:dequeue|unqueue|cancel|stop|r-)",
      restart: "(?:retry|rerun|restart)",
    },
  },
];
type Words = Readonly<Partial<Record<Verb, string>>>;

export interface OtherCommand {
  /** Null = not known, because the word stands alone. */
  readonly bot: string | null;
  readonly verb: Verb;
}

const patterns = bots.flatMap(({ name, address, words }) =>
  (Object.keys(words) as Verb[]).map((verb): [RegExp, OtherCommand] => {
    const gap = address === "/" ? "" : `[:,]?${space}+`;
    return [new RegExp(`^${address}${gap}${words[verb]}[.!]*$`, "i"), { bot: name, verb }];
  }),
);
const barePatterns = (Object.keys(bare) as Verb[]).map((verb): [RegExp, OtherCommand] => [
  new RegExp(`^${bare[verb]}[.!]*$`, "i"),
  { bot: null, verb },
]);
const lines = wholeLine(
  `(?<text>(?:${bots.map(({ address }) => address).join("|")})[^\\r\\n]{1,80})(?![^\\r\\n])`,
);

/**
 * Returns our equivalent of the first line that is a command of another merge queue, or of a whole text that is one of its words; null when
 * there is none.
 */
export function findOtherCommand(body: string): OtherCommand | null {
  const whole = body.length <= 100 ? body.trim() : "";
  const alone = barePatterns.find(([pattern]) => pattern.test(whole));
  if (alone) return alone[1];
  for (const { groups, unread } of plainLines(body, lines)) {
    const text = groups.text?.trim() ?? "";
    const found = unread ? undefined : patterns.find(([pattern]) => pattern.test(text));
    if (found) return found[1];
  }
  return null;
}

interface Outcome {
  readonly code: number;
  /** The commands that can have this outcome, such as `pr wait`, or those below a group, such as `pr`. */
  readonly of: "all" | "others" | readonly string[];
  readonly means: string;
}

/** The commands that call a service from any machine. */
const remoteGroups = ["login", "logout", "pr", "queue", "tests", "audit", "mcp"];

/**
 * The outcomes with which commands end. The help of each command, `docs/reference/cli.md` and `cli.schema.json` are generated from this
 * list.
 */
export const outcomes = {
  done: { code: 0, of: "all", means: "done" },
  merged: { code: 0, of: ["pr wait"], means: "it has merged" },
  failed: { code: 1, of: "all", means: "refused, or something failed" },
  wrongCall: { code: 1, of: remoteGroups, means: "the command is wrong" },
  foundErrors: {
    code: 1,
    of: ["doctor", "queue create"],
    means: "there are errors that keep the queue from working",
  },
  pending: { code: 1, of: ["migrate"], means: "with --check, there are migrations to apply" },
  wrongUsage: { code: 2, of: "others", means: "the command is wrong" },
  needsWork: { code: 2, of: ["pr wait"], means: "it left the queue without merging" },
  inFlight: { code: 3, of: ["pr wait"], means: "with --no-block, it is still in the queue" },
  quarantined: { code: 3, of: ["tests show"], means: "its failures are forgiven" },
  timedOut: { code: 4, of: ["pr wait"], means: "the time is over, and it is still in the queue" },
} as const satisfies Readonly<Record<string, Outcome>>;

export type OutcomeName = keyof typeof outcomes;

/** The outcomes of a command by its words after `trainyard`. */
export function outcomesOf(path: string): readonly OutcomeName[] {
  const isOf = (names: readonly string[]) =>
    names.some((name) => path === name || path.startsWith(`${name} `));
  // For `pr wait`, 2 has another meaning.
  const isRemote = isOf(remoteGroups) && path !== "queue create";
  return (Object.keys(outcomes) as OutcomeName[]).filter((name) => {
    const { of }: Outcome = outcomes[name];
    if (name === "wrongCall") return isRemote;
    if (of === "others") return !isRemote;
    return of === "all" ? name !== "done" || path !== "pr wait" : isOf(of);
  });
}

/** What each exit code of a command means. */
export function exitCodesOf(path: string): ReadonlyMap<number, string> {
  const codes = Map.groupBy(outcomesOf(path), (name) => outcomes[name].code as number);
  return new Map(
    [...codes].map(([code, names]) => [code, names.map((name) => outcomes[name].means).join("; or ")]),
  );
}

export function wrongUsageCode(path: string): number {
  return outcomesOf(path).includes("wrongCall") ? outcomes.wrongCall.code : outcomes.wrongUsage.code;
}

import { draw } from "../../sandbox/seeded-draw.ts";
import type { Configuration } from "./set-up-trial.ts";

/**
 * The required outcome of a pull request.
 * - `merges`: it is good
 * - `never_merges`: it is bad, people or rules forbid it, or its author withdrew it
 * - `one_of`: exactly one of its group merges
 */
export type Truth =
  | { readonly ends: "merges" | "never_merges"; readonly because: string }
  | { readonly ends: "one_of"; readonly group: string; readonly because: string };

export interface TrialPullRequest {
  readonly name: string;
  /** Title of the pull request, and message of its commit. */
  readonly title: string;
  readonly files: Readonly<Record<string, string>>;
  readonly fromFork: boolean;
  /** Whether a person with write access approves it; without an approval, a rule may forbid it. */
  readonly approved: boolean;
  readonly changesRequested: boolean;
  /** What its author does once it is in the queue. */
  readonly change: "cancel" | "push" | null;
  readonly truth: Truth;
}

type Kind =
  | "good"
  | "fork"
  | "stale"
  | "semantic"
  | "conflict"
  | "unapproved"
  | "objection"
  | "message"
  | "path"
  | "cancelled"
  | "pushed";

/** In percent. A kind that no rule of the configuration forbids is replaced by `good`. */
const shares: readonly (readonly [Kind, number])[] = [
  ["good", 50],
  ["fork", 8],
  ["stale", 8],
  ["semantic", 8],
  ["conflict", 6],
  ["unapproved", 3],
  ["objection", 3],
  ["message", 4],
  ["path", 4],
  ["cancelled", 3],
  ["pushed", 3],
];

const fact = (facts: { sets?: string[]; forbids?: string[] }): string => `${JSON.stringify(facts)}\n`;

/** Facts that are added to main after the pull requests were opened, so that some are green only on an outdated base. */
export function laterFacts(pullRequests: readonly TrialPullRequest[]): Record<string, string> {
  const forbids = pullRequests.filter(({ name }) => name.startsWith("stale-")).map(({ name }) => name);
  return { "facts/policy.json": fact({ forbids }) };
}

/** Includes the files whose lines the conflicting pull requests change. */
export const firstFiles = (count: number): Record<string, string> => ({
  "README.md": "# Widgets\n",
  "facts/base.json": fact({ sets: ["base"] }),
  ...Object.fromEntries(Array.from({ length: count }, (_, index) => [`notes/${index}.txt`, "Nothing.\n"])),
});

export function drawPullRequests(configuration: Configuration, count: number): TrialPullRequest[] {
  const drawn: TrialPullRequest[] = [];
  for (let index = 0; drawn.length < count; index += 1) {
    const found = allowed(drawKind(configuration.seed, index), configuration);
    // Two forbidden messages in a row would pause the queue, because the rule may forbid all messages (ADR 56), and nobody resumes it here.
    const isSecond = found === "message" && drawn.some(({ name }) => name.startsWith("message-"));
    const kind = isSecond ? "good" : found;
    const isLast = drawn.length === count - 1;
    drawn.push(...(isPair(kind) && isLast ? make("good", index) : make(kind, index)));
  }
  return drawn;
}

const isPair = (kind: Kind): boolean => kind === "semantic" || kind === "conflict";

function drawKind(seed: number, index: number): Kind {
  const drawn = draw(seed, "kind", index) * 100;
  let sum = 0;
  for (const [kind, share] of shares) {
    sum += share;
    if (drawn < sum) return kind;
  }
  return "good";
}

function allowed(kind: Kind, { reviews, rules }: Configuration): Kind {
  const isForbidden = {
    unapproved: reviews,
    objection: reviews,
    message: rules.includes("messages"),
    path: rules.includes("paths"),
  };
  return kind in isForbidden && !isForbidden[kind as keyof typeof isForbidden] ? "good" : kind;
}

function make(kind: Kind, index: number): TrialPullRequest[] {
  const name = `${kind}-${index}`;
  const plain = {
    name,
    title: `Add ${name}`,
    files: { [`facts/${name}.json`]: fact({ sets: [name] }) },
    fromFork: false,
    approved: true,
    changesRequested: false,
    change: null,
  };
  const never = (because: string) => ({ ends: "never_merges", because }) as const;
  switch (kind) {
    case "good":
      return [{ ...plain, truth: { ends: "merges", because: "it is good" } }];
    case "fork":
      return [
        { ...plain, fromFork: true, truth: { ends: "merges", because: "it is good, and comes from a fork" } },
      ];
    case "stale":
      return [{ ...plain, truth: never("it breaks CI on today's base") }];
    case "unapproved":
      return [{ ...plain, approved: false, truth: never("nobody approved it") }];
    case "objection":
      return [{ ...plain, changesRequested: true, truth: never("a reviewer requested changes") }];
    case "message":
      return [{ ...plain, title: `WIP: ${name}`, truth: never("a rule forbids its message") }];
    case "path":
      return [
        { ...plain, files: { [`generated/${name}.txt`]: "x\n" }, truth: never("a rule forbids its path") },
      ];
    case "cancelled":
      return [{ ...plain, change: "cancel", truth: never("its author cancels it") }];
    case "pushed":
      return [{ ...plain, change: "push", truth: never("its author pushes to it") }];
    case "semantic":
      return pair(plain, "they fail together", (side) => ({
        [`facts/${name}-${side}.json`]: fact(side === "a" ? { sets: [name] } : { forbids: [name] }),
      }));
    case "conflict":
      return pair(plain, "they change one line", (side) => ({ [`notes/${index}.txt`]: `${side}\n` }));
  }
}

function pair(
  plain: Omit<TrialPullRequest, "truth">,
  because: string,
  files: (side: "a" | "b") => Record<string, string>,
): TrialPullRequest[] {
  return (["a", "b"] as const).map((side) => ({
    ...plain,
    name: `${plain.name}-${side}`,
    title: `Add ${plain.name}, ${side}`,
    files: files(side),
    truth: { ends: "one_of", group: plain.name, because },
  }));
}

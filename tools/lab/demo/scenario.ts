/** A pull request of the demo: what its author does, and its required outcome. */
export interface DemoPullRequest {
  readonly name: string;
  readonly title: string;
  readonly author: "alice" | "bob";
  /** Content by path, on top of the repository's first commit. */
  readonly files: Readonly<Record<string, string>>;
  /** What happens after it is opened. */
  readonly acts: readonly Act[];
  readonly truth: Truth;
}

export type Act =
  | { readonly type: "comment"; readonly by: "author" | "reader"; readonly text: string }
  | { readonly type: "label"; readonly name: string }
  /** Waits until its queue entry is in one of these states, or has merged or failed. */
  | { readonly type: "await"; readonly states: readonly string[] }
  /** Pushes to it. `fixes`: it is not ready, so the new head stays submitted. Otherwise the push withdraws it. */
  | { readonly type: "push"; readonly files: Readonly<Record<string, string>>; readonly fixes?: true }
  /** Cancels the pull request if GitHub reports a conflict with the base. Only a push could resolve that. */
  | { readonly type: "give_up_on_conflict" };

/** The state in which it must end. `one_of`: exactly one member of the group merges. */
export type Truth =
  | { readonly ends: "merged" | "failed" | "cancelled"; readonly because: string }
  | { readonly ends: "one_of"; readonly group: string; readonly because: string };

const merge: Act = { type: "comment", by: "author", text: "/trainyard merge" };

/**
 * Facts that are added to the base after the pull requests were opened, so that one of them is green only on an outdated base.
 */
export const laterOnTheBase = { "facts/policy.json": fact({ forbids: ["legacy-login"] }) } as const;

export const firstFiles = {
  "README.md": "# Widgets\n",
  "notes.txt": "Nothing to note yet.\n",
  "facts/base.json": fact({ sets: ["base"] }),
} as const;

export const minPullRequests = 12;

/**
 * The demo's pull requests, in the order in which they are opened. `count` beyond the minimum adds good ones. The tests of
 * one of them fail once without cause.
 */
export function demoPullRequests(count: number): DemoPullRequest[] {
  const early = [
    fixed(),
    flaky(),
    semantic("session-cookies", "Keep sessions in cookies", "alice", { sets: ["cookie-sessions"] }),
    conflict("notes-by-alice", "Write down how to release", "alice"),
    broken(),
    semantic("strict-cookies", "Forbid session cookies", "bob", { forbids: ["cookie-sessions"] }),
    conflict("notes-by-bob", "Write down how to roll back", "bob"),
    urgent(),
    labelled(),
  ];
  // Authors withdraw these while they wait, so they come late in the queue.
  const late = [cancelled(), pushedTo()];
  const others = Math.max(count, minPullRequests) - early.length - late.length;
  const rest = Array.from({ length: others }, (_, index) => good(index + 1));
  return [...interleave(early, rest), ...late];
}

/** Nobody asks to merge it, because it is for the user to try. */
export const pullRequestForUser: DemoPullRequest = {
  name: "yours",
  title: "Try the merge queue yourself",
  author: "alice",
  files: { "docs/yours.md": "Comment on this pull request to merge it.\n" },
  acts: [],
  truth: { ends: "merged", because: "it is good" },
};

function good(index: number): DemoPullRequest {
  return {
    name: `widget-${index}`,
    title: `Add widget ${index}`,
    author: index % 2 === 0 ? "alice" : "bob",
    files: { [`facts/widget-${index}.json`]: fact({ sets: [`widget-${index}`] }) },
    acts: index === 1 ? [{ type: "comment", by: "reader", text: "/trainyard merge" }, merge] : [merge],
    truth: { ends: "merged", because: "it is good" },
  };
}

function urgent(): DemoPullRequest {
  return {
    name: "hotfix",
    title: "Fix the login of new users",
    author: "alice",
    files: { "facts/hotfix.json": fact({ sets: ["hotfix"] }) },
    acts: [{ type: "comment", by: "author", text: "/trainyard merge --priority=high" }],
    truth: { ends: "merged", because: "it is good" },
  };
}

function labelled(): DemoPullRequest {
  return {
    name: "docs",
    title: "Document the widgets",
    author: "bob",
    files: { "docs/widgets.md": "All about widgets.\n" },
    acts: [{ type: "label", name: "trainyard:merge" }],
    truth: { ends: "merged", because: "it is good" },
  };
}

/** Green when it was opened, but forbidden by the base since. */
function broken(): DemoPullRequest {
  return {
    name: "legacy-login",
    title: "Bring back the legacy login",
    author: "bob",
    files: { "facts/legacy.json": fact({ sets: ["legacy-login"] }) },
    acts: [merge],
    truth: { ends: "failed", because: "it breaks CI on today's base" },
  };
}

function semantic(name: string, title: string, author: "alice" | "bob", facts: object): DemoPullRequest {
  return {
    name,
    title,
    author,
    files: { [`facts/${name}.json`]: fact(facts) },
    acts: [merge],
    truth: { ends: "one_of", group: "cookies", because: "the two pass alone and fail together" },
  };
}

function conflict(name: string, title: string, author: "alice" | "bob"): DemoPullRequest {
  return {
    name,
    title,
    author,
    files: { "notes.txt": `${title}.\n` },
    acts: [merge, { type: "give_up_on_conflict" }],
    truth: { ends: "one_of", group: "notes", because: "the two change one line" },
  };
}

function cancelled(): DemoPullRequest {
  return {
    name: "second-thoughts",
    title: "Paint everything red",
    author: "alice",
    files: { "facts/red.json": fact({ sets: ["red"] }) },
    acts: [
      merge,
      { type: "await", states: ["not_ready", "pending", "testing"] },
      { type: "comment", by: "author", text: "/trainyard cancel" },
    ],
    truth: { ends: "cancelled", because: "its author cancels it" },
  };
}

function pushedTo(): DemoPullRequest {
  return {
    name: "one-more-commit",
    title: "Rework the widget factory",
    author: "bob",
    files: { "facts/factory.json": fact({ sets: ["factory"] }) },
    acts: [
      merge,
      // An entry that is not ready would stay submitted, because its submitter pushes.
      { type: "await", states: ["pending", "testing"] },
      { type: "push", files: { "facts/factory.json": fact({ sets: ["factory", "factory-2"] }) } },
    ],
    truth: { ends: "cancelled", because: "it is pushed to while it is queued" },
  };
}

/** A good pull request whose first test run fails. */
function flaky(): DemoPullRequest {
  return {
    name: "flaky-tests",
    title: "Test the widgets against the clock",
    author: "alice",
    files: { "facts/clock.json": fact({ sets: ["clock"], flaky: 1 }) },
    acts: [merge],
    truth: { ends: "merged", because: "it is good, and only its tests are flaky" },
  };
}

/** Fails at first on its own head. It stays submitted while its author pushes a fix. */
function fixed(): DemoPullRequest {
  return {
    name: "typo",
    title: "Speed up the build",
    author: "alice",
    files: { "facts/speed.json": fact({ sets: ["speed"], broken: true }) },
    acts: [
      merge,
      { type: "await", states: ["not_ready"] },
      { type: "push", files: { "facts/speed.json": fact({ sets: ["speed"] }) }, fixes: true },
    ],
    truth: { ends: "merged", because: "it is fixed while it waits" },
  };
}

function fact(
  facts: { sets?: string[]; forbids?: string[]; broken?: boolean; flaky?: number } | object,
): string {
  return `${JSON.stringify(facts, null, 2)}\n`;
}

/** Puts a good pull request after every special one, as long as there are any. */
function interleave(
  special: readonly DemoPullRequest[],
  rest: readonly DemoPullRequest[],
): DemoPullRequest[] {
  const mixed = special.flatMap((pr, index) => [pr, ...rest.slice(index, index + 1)]);
  return [...mixed, ...rest.slice(special.length)];
}

const teams = 4;

/**
 * Returns the impacted targets of a demo pull request, as a build tool would. Members of a group share a target. Widgets are
 * spread over several teams.
 */
export function impactOf({ name, truth }: DemoPullRequest): string[] {
  if (truth.ends === "one_of") return [truth.group];
  const widget = /^widget-(\d+)$/.exec(name);
  return [widget ? `widgets/team-${Number(widget[1]) % teams}` : name];
}

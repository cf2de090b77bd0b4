/** GitHub does not say whether a pull request has the reviews and resolved conversations that the rules of its base require. */
export interface ReviewUnknown {
  readonly code: "REVIEW_UNKNOWN";
}

/**
 * An objection to the merge of a pull request: from reviewers, review rules, checks on its head, its own description, or its stack. Each is
 * also a `Reason`, except unknown ones: these take nothing out of the line, but prevent that it is admitted or merged.
 */
export type Objection =
  | ReviewUnknown
  | { readonly code: "CHANGES_REQUESTED"; readonly by: readonly string[] }
  /** `decision`: GitHub's value that we do not know; absent = an approval is required. */
  | { readonly code: "REVIEW_REQUIRED"; readonly decision?: string }
  | { readonly code: "CONVERSATIONS_OPEN"; readonly count: number }
  /** GitHub's value for its state, which we do not know. */
  | { readonly code: "STATE_UNKNOWN"; readonly state: string }
  /** These checks are accepted from the head (`acceptFromHead`). */
  | { readonly code: "HEAD_CHECKS_FAILED"; readonly names: readonly string[] }
  | UnmetDependencies
  | PartOfStack;

const ofReviewers: ReadonlySet<string> = new Set<Objection["code"]>([
  "CHANGES_REQUESTED",
  "REVIEW_REQUIRED",
  "CONVERSATIONS_OPEN",
  "STATE_UNKNOWN",
  "HEAD_CHECKS_FAILED",
]);

/** Whether it comes from reviewers, review rules, checks on the head or an unknown state. While it may be resolved, the entry keeps its place for a while. */
export function isObjection({ code }: { readonly code: string }): boolean {
  return ofReviewers.has(code);
}

export function isReviewUnknown(objection: Objection): objection is ReviewUnknown {
  return objection.code === "REVIEW_UNKNOWN";
}

/** @param foreign escapes text by others, as the place where it is shown requires */
export function renderObjection(
  objection: Objection,
  foreign: (text: string) => string = (text) => text,
): string {
  switch (objection.code) {
    case "CHANGES_REQUESTED": {
      const names = objection.by.map((login) => `@${login}`).join(", ");
      return names === "" ? "changes were requested" : `changes were requested by ${names}`;
    }
    case "REVIEW_REQUIRED":
      return objection.decision === undefined
        ? "a review is required"
        : `GitHub says of its reviews "${foreign(objection.decision)}", which this version of Trainyard does not know`;
    case "CONVERSATIONS_OPEN":
      return objection.count === 1
        ? "1 conversation is unresolved"
        : `${objection.count} conversations are unresolved`;
    case "STATE_UNKNOWN":
      return `GitHub says that its state is "${foreign(objection.state)}", which this version of Trainyard does not know`;
    case "REVIEW_UNKNOWN":
      return "GitHub does not say whether it has the reviews and resolved conversations that the branch's rules demand";
    case "HEAD_CHECKS_FAILED":
      return `required ${objection.names.length === 1 ? "check" : "checks"} failed on its head: ${objection.names.map((name) => foreign(name)).join(", ")}`;
    case "DEPENDS_ON":
      return renderUnmet(objection, foreign);
    case "PART_OF_STACK":
      return renderPartOfStack(objection);
  }
}

/**
 * The place of a pull request in a native GitHub stack. GitHub merges it only by its asynchronous API, and together with all pull requests
 * below it.
 * https://docs.github.com/en/pull-requests/reference/stacked-pull-requests
 */
export interface StackPlace {
  /** The stack's number in the repository. */
  readonly stack: number;
  /** From 1, the lowest, to `size`. Pull requests below may have merged. */
  readonly position: number;
  readonly size: number;
  /** The branch that the whole stack merges into. */
  readonly baseBranch: string;
}

/** A pull request of a stack that the queue cannot merge as it is. */
export interface PartOfStack {
  readonly code: "PART_OF_STACK";
  readonly stack: number;
  readonly position: number;
  readonly size: number;
  /** Whether all pull requests below it have merged. */
  readonly isLowest: boolean;
}

/**
 * The objection of a stack to the merge of a pull request; null = none. When a pull request becomes the lowest unmerged one, GitHub changes
 * its base branch to that of the stack.
 *
 * @param mergesStacked whether the queue merges by the asynchronous API
 */
export function stackObjection(
  { stack: place, baseBranch }: { readonly stack?: StackPlace; readonly baseBranch: string },
  mergesStacked: boolean,
): PartOfStack | null {
  if (!place) return null;
  const isLowest = place.baseBranch === baseBranch;
  if (isLowest && mergesStacked) return null;
  const { stack, position, size } = place;
  return { code: "PART_OF_STACK", stack, position, size, isLowest };
}

export function renderPartOfStack({ stack, position, size, isLowest }: Omit<PartOfStack, "code">): string {
  const place = `it is pull request ${position} of ${size} in stack ${stack}`;
  return isLowest
    ? `${place}, which GitHub merges by its asynchronous API only: take it out of the stack, or set the queue's mergeBy to async_api`
    : `${place}, and those below it have not merged: merge them first, or take it out of the stack`;
}

/** A dependency in another repository (`owner/repo#5`). "unreadable": it does not exist, or the App may not read it. */
export interface ForeignDependency {
  readonly pr: string;
  readonly state: "open" | "closed" | "unreadable";
}

/** The unmerged dependencies that a pull request declares in its description (`Depends-On: #N`). They must merge into its base branch. */
export interface UnmetDependencies {
  readonly code: "DEPENDS_ON";
  readonly open: readonly number[];
  /** Closed without a merge. */
  readonly closed: readonly number[];
  /** Merged into another branch. */
  readonly elsewhere: readonly number[];
  readonly absent: readonly number[];
  /** Absent: there are none in other repositories. */
  readonly foreign?: readonly ForeignDependency[];
  /** Lines of the description that begin like a dependency and cannot be read; absent: there are none. */
  readonly unreadable?: readonly string[];
  /** The pull requests of a dependency cycle, starting with this one; empty = there is no cycle. */
  readonly cycle: readonly number[];
}

/** @param foreign escapes text by others, as the place where it is shown requires */
export function renderUnmet(unmet: UnmetDependencies, foreign: (text: string) => string): string {
  const { open, closed, elsewhere, absent, cycle, unreadable = [] } = unmet;
  const others = (state: ForeignDependency["state"]) =>
    (unmet.foreign ?? []).flatMap((other) => (other.state === state ? [foreign(other.pr)] : []));
  const own = (prs: readonly number[]) => prs.map((pr) => `#${pr}`);
  const mend = "or remove the Depends-On line from the description";
  const texts = [
    textOf([...own(open), ...others("open")], "and waits until that has merged"),
    textOf([...own(closed), ...others("closed")], `which was closed without a merge: reopen that, ${mend}`),
    textOf(own(elsewhere), `which was merged into another branch: merge that here, too, ${mend}`),
    textOf(own(absent), `which is no pull request of this repository: correct the number, ${mend}`),
    textOf(
      others("unreadable"),
      `which does not exist or cannot be read by this App: install the App on that repository, ${mend}`,
    ),
    cycleText(cycle),
    ...unreadable.map(
      (line) =>
        `its description says "${foreign(line)}", which names no pull request clearly: write "Depends-On: #12" on a line of its own for each one, at most 20`,
    ),
  ];
  return texts.filter((text) => text !== "").join("; ");
}

function textOf(names: readonly string[], consequence: string): string {
  return names.length === 0 ? "" : `it depends on ${names.join(" and ")}, ${consequence}`;
}

function cycleText(cycle: readonly number[]): string {
  if (cycle.length === 1) return "it depends on itself: remove the Depends-On line from the description";
  const names = cycle.map((pr) => `#${pr}`).join(" and ");
  return cycle.length === 0 ? "" : `${names} depend on each other: remove one of their Depends-On lines`;
}

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

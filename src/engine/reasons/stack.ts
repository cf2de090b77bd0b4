/**
 * Where a pull request stands in a native stack of GitHub. GitHub merges it by its asynchronous API only, and together with all below it.
 * https://docs.github.com/en/pull-requests/reference/stacked-pull-requests
 */
export interface StackPlace {
  /** The stack's number in the repository. */
  readonly stack: number;
  /** From 1, the lowest, to `size`; those below may have merged. */
  readonly position: number;
  readonly size: number;
  /** The branch that the whole stack is to be merged into. */
  readonly baseBranch: string;
}

/** A pull request of a stack that the queue cannot merge as it is. */
export interface PartOfStack {
  readonly code: "PART_OF_STACK";
  readonly stack: number;
  readonly position: number;
  readonly size: number;
  /** All below it have merged. */
  readonly isLowest: boolean;
}

/**
 * What a stack has against the merge of a pull request; null: nothing. GitHub makes the stack's base the base of the lowest one that
 * has not merged.
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

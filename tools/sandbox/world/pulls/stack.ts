import type { Account } from "../account.ts";
import { nextNumber } from "../issue.ts";
import type { World } from "../world.ts";
import { editPull } from "./pull-lifecycle.ts";
import { isOpen, type PullRequest } from "./pull-request.ts";

/** A native stack: each pull request targets the head branch of the one below it. */
export interface Stack {
  readonly id: number;
  readonly number: number;
  /** The branch that the whole stack will be merged into. */
  readonly base: string;
  /** From the lowest up, including merged ones. */
  readonly pulls: readonly PullRequest[];
}

/** Keyed by pull request, because there are few stacks. */
const stacks = new WeakMap<PullRequest, Stack>();

export const stackOf = (pull: PullRequest): Stack | null => stacks.get(pull) ?? null;

/** Whether all pull requests below it have merged. */
export const isLowest = (pull: PullRequest): boolean => {
  const lowest = stackOf(pull)?.pulls.find((one) => one.merged === null);
  return lowest === undefined || lowest === pull;
};

/** Returns the position in the stack, from 1. */
export const positionOf = (pull: PullRequest): number => (stackOf(pull)?.pulls.indexOf(pull) ?? -1) + 1;

export function createStack(world: World, pulls: readonly PullRequest[]): Stack {
  const [lowest] = pulls;
  if (lowest === undefined || pulls.length < 2) throw new Error("a stack needs two pull requests");
  for (const [index, pull] of pulls.entries()) {
    const below = pulls[index - 1];
    if (below && pull.base.ref !== below.head.ref)
      throw new Error(`#${pull.number} is not into the head branch of #${below.number}`);
  }
  const stack = { id: world.nextId(), number: nextNumber(lowest.repository), base: lowest.base.ref, pulls };
  for (const pull of pulls) stacks.set(pull, stack);
  return stack;
}

/** Removes the pull requests that have not merged from their stack. */
export function dissolveStack({ pulls }: Stack): void {
  for (const pull of pulls) if (pull.merged === null) stacks.delete(pull);
}

/** After the lowest pull request has merged, retargets the next one to the base of the stack. */
export async function moveStackDown(world: World, merged: PullRequest, sender: Account): Promise<void> {
  const stack = stackOf(merged);
  const next = stack?.pulls.find(isOpen);
  const sha = stack && merged.repository.branch(stack.base);
  if (next && sha) await editPull(world, next, sender, { base: { ref: stack.base, sha } });
}

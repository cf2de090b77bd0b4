import type { Freeze } from "../../engine/model/order/delay.ts";
import { listensTo } from "../branch-filter.ts";
import { type FreezeRule, type FreezeWindow, nextStart, windowAt } from "./freeze-rule.ts";

/** Maximum number of adjacent windows that are joined. */
const maxJoined = 100;

/**
 * Returns the freeze of a branch at an instant: the current window that ends last, extended by windows that follow without a
 * gap.
 */
export function freezeAt(rules: readonly FreezeRule[], branch: string, at: number): Freeze | null {
  const own = rules.filter((rule) => isOf(rule, branch));
  const found = lastEnding(own, at);
  if (found === null) return null;
  const { rule, window } = found;
  let { until } = window;
  for (let joined = 0; joined < maxJoined; joined++) {
    const next = lastEnding(own, until);
    if (next === null) break;
    until = next.window.until;
  }
  return { reason: rule.reason, since: window.from, until, timeZone: rule.timeZone };
}

/** Returns the first instant after `at` when `freezeAt` may change its result; null when it never will. */
export function nextFreezeChange(rules: readonly FreezeRule[], branch: string, at: number): number | null {
  const changes = rules
    .filter((rule) => isOf(rule, branch))
    .flatMap((rule) => windowAt(rule, at)?.until ?? nextStart(rule, at) ?? []);
  return changes.length === 0 ? null : Math.min(...changes);
}

function isOf({ branches }: FreezeRule, branch: string): boolean {
  return listensTo({ branches, branchesIgnore: [], filtersPaths: false }, branch);
}

function lastEnding(
  rules: readonly FreezeRule[],
  at: number,
): { readonly rule: FreezeRule; readonly window: FreezeWindow } | null {
  const active = rules.flatMap((rule) => {
    const window = windowAt(rule, at);
    return window ? [{ rule, window }] : [];
  });
  return active.toSorted((a, b) => b.window.until - a.window.until)[0] ?? null;
}

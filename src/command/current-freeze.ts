import type { Freeze } from "../engine/model/freeze.ts";
import { listensTo } from "./branch-filter.ts";
import { type FreezeRule, type FreezeWindow, nextStart, windowAt } from "./freeze-rule.ts";

/** So many windows at most are joined that follow one another without a gap. */
const maxJoined = 100;

/** The freeze of a branch at an instant: of several windows the one that ends last, and what follows it without a gap. */
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

/** When `freezeAt` may answer something else for the first time after an instant; null: never. */
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

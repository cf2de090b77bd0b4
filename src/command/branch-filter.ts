import type { PushTrigger } from "./parse-workflow.ts";

/**
 * Whether a push to a branch passes a workflow's branch filters. If several patterns match, the last one decides.
 * https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax#filter-pattern-cheat-sheet
 */
export function listensTo({ branches, branchesIgnore }: PushTrigger, branch: string): boolean {
  if (branches === null) return !isNamed(branchesIgnore, branch);
  return isNamed(branches, branch);
}

function isNamed(patterns: readonly string[], branch: string): boolean {
  let isIn = false;
  for (const pattern of patterns) {
    const isExclusion = pattern.startsWith("!");
    if (toRegExp(isExclusion ? pattern.slice(1) : pattern)?.test(branch)) isIn = !isExclusion;
  }
  return isIn;
}

/** Returns null for an invalid pattern. */
function toRegExp(pattern: string): RegExp | null {
  const source = pattern.replace(/\*\*|\*|\[[^\]]*\]|\\.|[?+]|[^\w/-]/g, (part) => {
    if (part === "**") return ".*";
    if (part === "*") return "[^/]*";
    // These have the same meaning in regular expressions.
    if (part === "?" || part === "+" || part.startsWith("[") || part.startsWith("\\")) return part;
    return `\\${part}`;
  });
  try {
    return new RegExp(`^${source}$`);
  } catch {
    return null;
  }
}

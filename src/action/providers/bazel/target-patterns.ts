/** Whether a text is a target pattern within this workspace. A leading `-` makes it an exclusion. */
export function isTargetPattern(text: string): boolean {
  return /^-?\/\/[^:]*(:[^:]+)?$/.test(text);
}

/** Whether patterns include a label. If all patterns are exclusions, they include everything else. */
export function isInScope(label: string, patterns: readonly string[]): boolean {
  if (patterns.length === 0) return true;
  const decisive = patterns.findLast((pattern) => matches(pattern.replace(/^-/, ""), label));
  return decisive === undefined
    ? patterns.every((pattern) => pattern.startsWith("-"))
    : !decisive.startsWith("-");
}

/** Follows https://bazel.build/run/build#specifying-build-targets */
function matches(pattern: string, label: string): boolean {
  const [, folder = "", name] = /^\/\/([^:]*)(?::(.+))?$/.exec(pattern) ?? [];
  const [, ownFolder = "", ownName = ""] = /^@{0,2}\/\/([^:]*):(.*)$/s.exec(label) ?? [];
  const isAnyName = name === undefined || /^(all|\*|all-targets)$/.test(name);
  if (folder === "..." || folder.endsWith("/...")) {
    const top = folder.replace(/\/?\.\.\.$/, "");
    return isAnyName && (top === "" || ownFolder === top || ownFolder.startsWith(`${top}/`));
  }
  if (folder !== ownFolder) return false;
  return name === undefined
    ? ownName === folder.slice(folder.lastIndexOf("/") + 1)
    : isAnyName || name === ownName;
}

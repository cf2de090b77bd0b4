/** @param pattern an operation's id, `pulls/*` for a group, or `*`; `graphql:x` means `graphql/x`. Undefined = any operation. */
export function matchesOperation(pattern: string | undefined, operation: string): boolean {
  if (pattern === undefined || pattern === "*") return true;
  const id = pattern.replace(/^graphql:/, "graphql/");
  return id.endsWith("/*") ? operation.startsWith(id.slice(0, -1)) : operation === id;
}

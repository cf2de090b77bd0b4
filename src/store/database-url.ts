/** Where the data is, as an operator wrote it. */
export type DatabaseLocation =
  | { readonly kind: "sqlite"; readonly path: string }
  | { readonly kind: "postgres" }
  | { readonly kind: "missing" }
  | { readonly kind: "unknown"; readonly scheme: string };

/**
 * Reads `sqlite:trainyard.db`, `sqlite:///var/lib/trainyard.db`, `file:trainyard.db`, `:memory:`, a plain path, or
 * `postgres://…`. Never throws.
 */
export function parseDatabaseUrl(text: string): DatabaseLocation {
  // One letter and a colon is a drive of Windows.
  const match = /^([a-z][a-z0-9+.-]+):(.*)$/is.exec(text.trim());
  if (!match) return sqliteAt(text.trim());
  const [, scheme = "", rest = ""] = match;
  switch (scheme.toLowerCase()) {
    case "sqlite":
    case "file":
      return sqliteAt(rest.replace(/^\/\/(localhost(?=\/))?/i, ""));
    case "postgres":
    case "postgresql":
      return { kind: "postgres" };
    default:
      return { kind: "unknown", scheme };
  }
}

/** SQLite takes an empty path for a database that is gone when closed. */
function sqliteAt(path: string): DatabaseLocation {
  return path === "" ? { kind: "missing" } : { kind: "sqlite", path };
}

/** The database location that the operator configured. */
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
  // A single letter and a colon is a Windows drive.
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

/** SQLite interprets an empty path as a temporary database, which is deleted when closed. */
function sqliteAt(path: string): DatabaseLocation {
  return path === "" ? { kind: "missing" } : { kind: "sqlite", path };
}

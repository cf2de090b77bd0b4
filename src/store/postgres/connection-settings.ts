import { type PoolConfig, types } from "pg";
import { tlsOptions, tlsParameters } from "./tls-options.ts";

/** Reads and writes share them. Writes take one at a time. */
const connections = 10;
const connectMs = 10_000;
/** Longer than any statement takes. */
export const statementMs = 60_000;

const int8 = 20;
const numeric = 1700;

/**
 * How to connect to the database at a URL. Nothing is set for a session, because a pooler in transaction mode
 * gives each transaction another one.
 *
 * @throws Error when the URL cannot be parsed, or TLS cannot be set up. It does not contain the URL, which may
 * contain a password.
 */
export function connectionSettings(
  databaseUrl: string,
  environment: Readonly<Record<string, string | undefined>>,
): PoolConfig {
  const url = parse(databaseUrl.trim());
  const ssl = tlsOptions(url.searchParams, environment);
  // pg would interpret them in its own way.
  for (const name of tlsParameters) url.searchParams.delete(name);
  return {
    connectionString: url.href,
    ssl,
    max: connections,
    connectionTimeoutMillis: connectMs,
    query_timeout: statementMs,
    keepAlive: true,
    application_name: "trainyard",
    types: { getTypeParser: typeParser },
  };
}

function parse(databaseUrl: string): URL {
  try {
    return new URL(databaseUrl);
  } catch {
    throw new Error(
      "DATABASE_URL is not a URL: write postgres://user:password@host:5432/database, and encode special characters of the password",
    );
  }
}

/** All our integers are below 2^53, also sums, so they can be numbers. */
function typeParser(type: number, format?: "text" | "binary"): (text: string) => unknown {
  if (type === int8 || type === numeric) return Number;
  return types.getTypeParser(type, format) as (text: string) => unknown;
}

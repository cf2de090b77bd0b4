import { readFileSync } from "node:fs";
import type { ConnectionOptions } from "node:tls";
import { type PoolConfig, types } from "pg";
import { DatabaseProblem } from "../schema/database-problem.ts";

/** Reads and writes share the connections. Only one write runs at a time. */
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
 * @throws DatabaseProblem when the URL cannot be parsed, Error when TLS cannot be set up. Neither contains the URL, which may
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
    throw new DatabaseProblem(
      "DATABASE_URL_NOT_VALID",
      "DATABASE_URL is not a URL: write postgres://user:password@host:5432/database, and encode special characters of the password",
    );
  }
}

/** All our integers, and their sums, are below 2^53, so they can be numbers. */
function typeParser(type: number, format?: "text" | "binary"): (text: string) => unknown {
  if (type === int8 || type === numeric) return Number;
  return types.getTypeParser(type, format) as (text: string) => unknown;
}

type Variables = Readonly<Record<string, string | undefined>>;

/** Parameters of the URL, and the environment variables that replace missing ones. */
const variables = {
  sslmode: "PGSSLMODE",
  sslrootcert: "PGSSLROOTCERT",
  sslcert: "PGSSLCERT",
  sslkey: "PGSSLKEY",
} as const;

export const tlsParameters = Object.keys(variables) as readonly (keyof typeof variables)[];

/**
 * The TLS options of a connection, as libpq reads them from the parameters of a URL and the environment; false
 * without TLS, which is the default. Source: postgresql.org/docs/current/libpq-ssl.html.
 *
 * @throws Error when the mode is unknown, or a file cannot be read.
 */
export function tlsOptions(parameters: URLSearchParams, environment: Variables): ConnectionOptions | false {
  const read = (name: keyof typeof variables) => parameters.get(name) || environment[variables[name]] || null;
  const mode = read("sslmode") ?? "disable";
  const rootCertificate = read("sslrootcert");
  const files = {
    ...fileAs("ca", rootCertificate === "system" ? null : rootCertificate),
    ...fileAs("cert", read("sslcert")),
    ...fileAs("key", read("sslkey")),
  };
  switch (mode) {
    case "disable":
      return false;
    case "require":
      // As in libpq: with a root certificate, the server's certificate is verified.
      return rootCertificate === null ? { ...files, rejectUnauthorized: false } : withoutName(files);
    case "verify-ca":
      return withoutName(files);
    case "verify-full":
      return files;
    default:
      throw new DatabaseProblem(
        "DATABASE_URL_NOT_VALID",
        `sslmode ${mode} is not supported: use disable, require, verify-ca or verify-full, because the other modes protect nothing`,
      );
  }
}

/** Verifies who signed the certificate, but not for which host. */
function withoutName(options: ConnectionOptions): ConnectionOptions {
  return { ...options, checkServerIdentity: () => undefined };
}

function fileAs(option: "ca" | "cert" | "key", path: string | null): ConnectionOptions {
  return path === null ? {} : { [option]: readFileSync(path, "utf8") };
}

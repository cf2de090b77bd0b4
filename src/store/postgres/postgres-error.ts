import { types } from "node:util";
import { type Kysely, sql } from "kysely";
import type { StorageFault } from "../../ports/storage-fault.ts";
import { DatabaseUnusable } from "../sqlite/database-unusable.ts";
import { StorageError } from "../sqlite/storage-error.ts";

/** Keys are SQLSTATEs or their classes of two characters. Source: postgresql.org/docs/current/errcodes-appendix.html. */
const codes: Readonly<Record<string, StorageFault["code"]>> = {
  "08": "DATABASE_NOT_ANSWERING",
  25006: "DATABASE_READ_ONLY",
  "25P03": "DATABASE_NOT_ANSWERING",
  "25P04": "DATABASE_NOT_ANSWERING",
  40: "DATABASE_BUSY",
  53: "DATABASE_BUSY",
  53100: "DATABASE_FULL",
  "55P03": "DATABASE_BUSY",
  57014: "DATABASE_BUSY",
  "57P": "DATABASE_NOT_ANSWERING",
  58: "DATABASE_WRITE_FAILED",
  XX001: "DATABASE_CORRUPT",
  XX002: "DATABASE_CORRUPT",
};

/** Wraps errors of a faulty or unreachable database; returns every other error unchanged. An error of the connection has no SQLSTATE. */
export function asPostgresFault(error: unknown): unknown {
  if (!types.isNativeError(error)) return error;
  const state = sqlState(error);
  if (state === null) return new StorageError("DATABASE_NOT_ANSWERING", error);
  const code = codes[state] ?? codes[state.slice(0, 3)] ?? codes[state.slice(0, 2)];
  return code ? new StorageError(code, error) : error;
}

/** The error of a first connection, with advice. It does not contain the URL, which may contain a password. */
export function notReached(error: unknown): Error {
  const problem = `the PostgreSQL database cannot be used: ${explain(error)}`;
  return new DatabaseUnusable(problem, { cause: error, mayPass: mayPass(error) });
}

/** Errors while a server is down, starts, or has no connection left. Source of the SQLSTATEs: see above. */
const passing =
  /^(ECONNREFUSED|ECONNRESET|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|08|53300|57P)/;

function mayPass(thrown: unknown): boolean {
  const error = thrown instanceof StorageError ? thrown.cause : thrown;
  return types.isNativeError(error) && "code" in error && passing.test(String(error.code));
}

function explain(thrown: unknown): string {
  const error = thrown instanceof StorageError ? thrown.cause : thrown;
  if (!types.isNativeError(error)) return `${String(error)}; check DATABASE_URL`;
  const code = "code" in error ? String(error.code) : "";
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID")
    return `${error.message} Connect by a name of its certificate, or use sslmode=verify-ca, which does not compare names`;
  if (notTrusted.test(code))
    return `its certificate is not trusted (${code}); set sslrootcert to the file of the authority that signed it`;
  return `${error.message || error.name}; check DATABASE_URL`;
}

/** Source: nodejs.org/api/tls.html#x509-certificate-error-codes. */
const notTrusted = /^(UNABLE_TO_(GET_ISSUER|VERIFY)|SELF_SIGNED|DEPTH_ZERO|CERT_)/;

/** @throws Error with advice when the server does not answer */
export async function reachPostgres<Schema>(db: Kysely<Schema>): Promise<void> {
  await sql`select 1`.execute(db).catch((error: unknown) => {
    throw notReached(error);
  });
}

/**
 * Whether the server has answered with an error that leaves the connection usable. After the timeouts 25P03 and 25P04, the server closes
 * it.
 */
export function isAnswer(error: unknown): boolean {
  const state = sqlState(error);
  return state !== null && !/^(08|57P|25P0[34])/.test(state);
}

/** Five characters; null for errors of the connection, whose codes are longer, such as ECONNREFUSED. */
function sqlState(error: unknown): string | null {
  if (typeof error !== "object" || error === null || !("code" in error)) return null;
  const { code } = error;
  return typeof code === "string" && /^[0-9A-Z]{5}$/.test(code) && "severity" in error ? code : null;
}

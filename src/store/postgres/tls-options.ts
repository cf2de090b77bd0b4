import { readFileSync } from "node:fs";
import type { ConnectionOptions } from "node:tls";

type Variables = Readonly<Record<string, string | undefined>>;

/** Parameters of the URL, with the variables that apply where they are missing. */
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
      throw new Error(
        `sslmode ${mode} is not supported: use disable, require, verify-ca or verify-full, because the other modes protect nothing`,
      );
  }
}

/** Verifies who signed the certificate, and not for which host. */
function withoutName(options: ConnectionOptions): ConnectionOptions {
  return { ...options, checkServerIdentity: () => undefined };
}

function fileAs(option: "ca" | "cert" | "key", path: string | null): ConnectionOptions {
  return path === null ? {} : { [option]: readFileSync(path, "utf8") };
}

import * as z from "zod";

export interface GitHubAddress {
  readonly kind: "github.com" | "ghe.com" | "enterprise_server";
  /** Its name in repositories: `github.com`, `octocorp.ghe.com`, `github.acme.example:8443`. */
  readonly host: string;
  readonly webUrl: string;
  readonly apiUrl: string;
  /** The issuer of its workflows' tokens. */
  readonly tokenIssuer: string;
}

/** GitHub Enterprise Cloud with data residency. */
const tenant = /^([a-z\d-]+)\.ghe\.com$/i;
const apiOfTenant = /^api\.([a-z\d-]+\.ghe\.com)$/i;

export const gitHubHost = z
  .string()
  .trim()
  .regex(
    /^(\[[\da-f:]+\]|[\w.-]+)(:\d+)?$/i,
    "must be a host, such as octocorp.ghe.com, without a protocol or path",
  )
  .refine((host) => !apiOfTenant.test(host), {
    error: ({ input }) =>
      `must be the host that people open in a browser, ${String(input).replace(apiOfTenant, "$1")}; the API's address follows from it`,
  });

export const isTenant = (host: string): boolean => tenant.test(host);

/**
 * Returns the addresses of the GitHub on a host. A tenant of ghe.com has separate hosts for the API and for tokens; an
 * Enterprise Server has both below its own address.
 * https://docs.github.com/en/enterprise-cloud@latest/admin/data-residency/network-details-for-ghecom
 *
 * @param host null = github.com
 * @param protocol of an Enterprise Server
 */
export function gitHubAddress(host: string | null, protocol: string): GitHubAddress {
  if (host === null || host.toLowerCase() === "github.com") {
    return {
      kind: "github.com",
      host: "github.com",
      webUrl: "https://github.com",
      apiUrl: "https://api.github.com",
      tokenIssuer: "https://token.actions.githubusercontent.com",
    };
  }
  if (isTenant(host)) {
    const own = host.toLowerCase();
    return {
      kind: "ghe.com",
      host: own,
      webUrl: `https://${own}`,
      apiUrl: `https://api.${own}`,
      tokenIssuer: `https://token.actions.${own}`,
    };
  }
  const webUrl = `${protocol}://${host}`;
  return {
    kind: "enterprise_server",
    host,
    webUrl,
    apiUrl: `${webUrl}/api/v3`,
    tokenIssuer: `${webUrl}/_services/token`,
  };
}

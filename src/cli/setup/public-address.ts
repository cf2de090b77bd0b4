import type { IncomingHttpHeaders } from "node:http";
import ipaddr from "ipaddr.js";
import { isPublicAddress } from "../../receivers/public-address.ts";

export interface AddressProblem {
  readonly code: "PUBLIC_URL_MISSING" | "PUBLIC_URL_NOT_REACHABLE";
  /** Describes the problem, and the setting that solves it. */
  readonly problem: string;
}

/** The address to which GitHub sends webhooks, and the setting that it comes from. */
export interface WebhookAddress {
  readonly variable: string;
  readonly url: string;
}

type Reach = "machine" | "network" | "internet";

const whatToSet =
  "Set TRAINYARD_PUBLIC_URL to the address at which GitHub reaches this service, such as https://trainyard.example.com, in the environment or in .env, then start Trainyard again.";

/**
 * Returns the address, or why a GitHub cannot send webhooks to it. Names are not looked up: the DNS of this machine says
 * little about that of GitHub.
 * @param githubHost as in `GHE_HOST`, with its port if it has one
 */
export function checkWebhookAddress(
  address: WebhookAddress | null,
  githubHost: string,
): WebhookAddress | AddressProblem {
  if (address === null) {
    const problem = `TRAINYARD_PUBLIC_URL is missing, so the App would have no address for its webhooks. ${whatToSet}`;
    return { code: "PUBLIC_URL_MISSING", problem };
  }
  const url = URL.parse(address.url);
  const isHttp = url?.protocol === "https:" || url?.protocol === "http:";
  if (url && isHttp && reachedFrom(githubHost).includes(reachOf(url.hostname))) return address;
  const shown = url && isHttp ? url.origin : (url?.protocol ?? "no address");
  const problem = `${address.variable} is ${shown}, which ${githubHost} cannot reach. ${whatToSet}`;
  return { code: "PUBLIC_URL_NOT_REACHABLE", problem };
}

/** A GitHub Enterprise Server can reach private networks. github.com and ghe.com cannot. */
function reachedFrom(githubHost: string): readonly Reach[] {
  if (/(^|\.)(github|ghe)\.com(:\d+)?$/i.test(githubHost)) return ["internet"];
  const isHere = reachOf(new URL(`http://${githubHost}`).hostname) === "machine";
  return isHere ? ["internet", "network", "machine"] : ["internet", "network"];
}

function reachOf(hostname: string): Reach {
  const host = hostname.toLowerCase().replace(/^\[|\]$|\.$/g, "");
  if (ipaddr.isValid(host)) {
    const range = ipaddr.process(host).range();
    if (range === "loopback" || range === "unspecified") return "machine";
    return isPublicAddress(host) ? "internet" : "network";
  }
  if (/(^|\.)localhost$/.test(host)) return "machine";
  // Source: RFC 6762 and 8375, and ICANN's reservation of .internal.
  return !host.includes(".") || /\.(local|internal|home\.arpa)$/.test(host) ? "network" : "internet";
}

/**
 * Returns the scheme and host of the address in the browser. Behind a proxy, `x-forwarded-*` names it. These headers are trusted from any
 * client, because they only affect links in the answer to the same request, and pages of other sites cannot set them.
 */
export function readAskedOrigin(headers: IncomingHttpHeaders, publicUrl: string | null): string {
  const forwarded = firstOf(headers["x-forwarded-host"]);
  const host = isHost(forwarded) ? forwarded : (headers.host ?? "localhost");
  // Some proxies leave out the scheme, or report only the scheme between two proxies.
  const isPublic = publicUrl !== null && new URL(publicUrl).origin === `https://${host}`;
  const isSecure = isPublic || firstOf(headers["x-forwarded-proto"]).toLowerCase() === "https";
  return `${isSecure ? "https" : "http"}://${host}`;
}

/** Each proxy appends its own value. The first value comes from the browser's request. */
function firstOf(header: string | string[] | undefined): string {
  const text = Array.isArray(header) ? header[0] : header;
  return text?.split(",")[0]?.trim() ?? "";
}

function isHost(text: string): boolean {
  return /^([a-z\d._-]+|\[[\da-f:.]+\])(:\d{1,5})?$/i.test(text);
}

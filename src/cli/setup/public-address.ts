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

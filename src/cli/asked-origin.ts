import type { IncomingHttpHeaders } from "node:http";

/**
 * The scheme and host that a browser has asked for; behind a proxy, what the proxy was asked for. `x-forwarded-*` is believed from
 * anybody, because it only shapes links in the answer to the same request, and no page of another site can set it.
 */
export function readAskedOrigin(headers: IncomingHttpHeaders, publicUrl: string | null): string {
  const forwarded = firstOf(headers["x-forwarded-host"]);
  const host = isHost(forwarded) ? forwarded : (headers.host ?? "localhost");
  // Some proxies do not say how they were asked, or only how the last of them was.
  const isPublic = publicUrl !== null && new URL(publicUrl).origin === `https://${host}`;
  const isSecure = isPublic || firstOf(headers["x-forwarded-proto"]).toLowerCase() === "https";
  return `${isSecure ? "https" : "http"}://${host}`;
}

/** Each proxy appends what it was asked for; the first was asked by the browser. */
function firstOf(header: string | string[] | undefined): string {
  const text = Array.isArray(header) ? header[0] : header;
  return text?.split(",")[0]?.trim() ?? "";
}

function isHost(text: string): boolean {
  return /^([a-z\d._-]+|\[[\da-f:.]+\])(:\d{1,5})?$/i.test(text);
}

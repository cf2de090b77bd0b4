import type { IncomingHttpHeaders } from "node:http";

/**
 * Returns the scheme and host of the address in the browser. Behind a proxy, `x-forwarded-*` names it. These headers are
 * trusted from any client: they only shape links in the answer to the same request, and pages of other sites cannot set them.
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

import type { FastifyRequest } from "fastify";

/**
 * Whether a form was sent by one of our pages, or by hand. Otherwise any site could sign a visitor in with a token of its
 * own. Browsers tell the origin in `Sec-Fetch-Site`; over plain HTTP, and in old browsers, only in `Origin`. A request with
 * neither does not come from a page.
 */
export function isOwnForm({ headers, protocol, host }: FastifyRequest, publicUrl: string | null): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site === "same-origin" || site === "none";
  const { origin } = headers;
  if (origin === undefined) return true;
  const ours = [`${protocol}://${host}`, ...(publicUrl === null ? [] : [new URL(publicUrl).origin])];
  return ours.includes(origin);
}

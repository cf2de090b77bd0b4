import type { FastifyRequest } from "fastify";

/**
 * Whether a form was sent by a page of ours, or by hand. Otherwise a page of anybody's could sign a visitor in with a token of
 * its own. Browsers say so in `Sec-Fetch-Site`; over plain HTTP, and old ones, only in `Origin`. Where neither is sent, it was no page.
 */
export function isOwnForm({ headers, protocol, host }: FastifyRequest, publicUrl: string | null): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site === "same-origin" || site === "none";
  const { origin } = headers;
  if (origin === undefined) return true;
  const ours = [`${protocol}://${host}`, ...(publicUrl === null ? [] : [new URL(publicUrl).origin])];
  return ours.includes(origin);
}

import type { FastifyReply, FastifyRequest } from "fastify";
import { renderForeignForm } from "../home-page.ts";
import { type Viewer, viewerOf } from "../session.ts";
import { show } from "./replies.ts";

/** Refuses the forms of other sites before they are handled. */
export function refuseForeignForms(publicUrl: string | null) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    if (!isOwnForm(request, publicUrl)) return refuseForm(reply);
  };
}

/** Whether the form's sender is signed in, in the same session as when the page with the form was shown. */
export function isFormOf<V extends Viewer>(
  viewer: V | null,
  { formToken }: Readonly<Record<string, unknown>>,
): viewer is V & { readonly formToken: string; readonly actor: NonNullable<V["actor"]> } {
  return viewer?.formToken != null && viewer.actor !== null && formToken === viewer.formToken;
}

export function refuseForm(reply: FastifyReply): FastifyReply {
  return show(reply.code(403), "Refused", renderForeignForm(), viewerOf(reply.request));
}

/**
 * Whether a form was sent by one of our pages, or by hand. Otherwise any site could sign a visitor in with a token of its
 * own. Browsers tell the origin in `Sec-Fetch-Site`; over plain HTTP, and in old browsers, only in `Origin`. A request with
 * neither does not come from a page.
 */
function isOwnForm({ headers, protocol, host }: FastifyRequest, publicUrl: string | null): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site === "same-origin" || site === "none";
  const { origin } = headers;
  if (origin === undefined) return true;
  const ours = [`${protocol}://${host}`, ...(publicUrl === null ? [] : [new URL(publicUrl).origin])];
  return ours.includes(origin);
}

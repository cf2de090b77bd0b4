import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { DashboardServices } from "../dashboard-services.ts";
import { renderForeignForm } from "../home-page.ts";
import { type SignedInActor, type Viewer, viewerOf } from "../session.ts";
import { show } from "./replies.ts";

/** A form that somebody has sent from a page of their own session. */
export interface SentForm {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly viewer: FormViewer;
  readonly fields: Readonly<Record<string, unknown>>;
}

type FormViewer = Viewer & { readonly formToken: string; readonly actor: SignedInActor };

/** Accepts a form of our pages from somebody who is signed in, in the same session as when the page was shown. */
export function acceptForm(
  app: FastifyInstance,
  { sessions, publicUrl }: Pick<DashboardServices, "sessions" | "publicUrl">,
  route: string,
  carryOut: (form: SentForm) => Promise<FastifyReply>,
  limits: { readonly bodyLimit?: number } = {},
): void {
  app.post(route, { preHandler: refuseForeignForms(publicUrl), ...limits }, async (request, reply) => {
    const viewer = await sessions.viewer(request);
    const fields = (request.body ?? {}) as Record<string, unknown>;
    return isFormOf(viewer, fields) ? carryOut({ request, reply, viewer, fields }) : refuseForm(reply);
  });
}

/** Refuses the forms of other sites before they are handled. */
export function refuseForeignForms(publicUrl: string | null) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    if (!isOwnForm(request, publicUrl)) return refuseForm(reply);
  };
}

function isFormOf(
  viewer: Viewer | null,
  { formToken }: Readonly<Record<string, unknown>>,
): viewer is FormViewer {
  return viewer?.formToken != null && viewer.actor !== null && formToken === viewer.formToken;
}

function refuseForm(reply: FastifyReply): FastifyReply {
  return show(reply.code(403), "Refused", renderForeignForm(), viewerOf(reply.request));
}

/**
 * Whether a form was sent by one of our pages, or not by a browser. Without this check, any site could sign a visitor in with its own
 * token. Browsers state the origin in `Sec-Fetch-Site`; over plain HTTP, and in old browsers, only in `Origin`. A request with neither does
 * not come from a page.
 */
function isOwnForm({ headers, protocol, host }: FastifyRequest, publicUrl: string | null): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site === "same-origin" || site === "none";
  const { origin } = headers;
  if (origin === undefined) return true;
  const ours = [`${protocol}://${host}`, ...(publicUrl === null ? [] : [new URL(publicUrl).origin])];
  return ours.includes(origin);
}

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { isSameName, nameKey } from "../../engine/model/names.ts";
import type { DashboardServices } from "../dashboard-services.ts";
import { ownPath } from "../paths.ts";
import type { SignedInActor, Viewer } from "../session.ts";
import { showLogin } from "./replies.ts";

const needsOwner =
  "This page is for the owners of an organisation on GitHub, and for its API tokens with the scope admin. The App knows the owners if the organisation has accepted its permission members: read.";

/** Somebody who may administer an organisation. */
export type Administrator = Viewer & {
  readonly formToken: string;
  readonly actor: SignedInActor;
  /** In lower case. */
  readonly organisation: string;
};

/** Serves a page about an organisation to those who may administer it. */
export function serveToOwners(
  app: FastifyInstance,
  { sessions }: Pick<DashboardServices, "sessions">,
  route: string,
  answer: (request: FastifyRequest, reply: FastifyReply, viewer: Administrator) => Promise<FastifyReply>,
): void {
  app.get(route, async (request, reply) => {
    const viewer = await sessions.viewer(request);
    const administrator = await administratorOf(viewer, request);
    return administrator ? answer(request, reply, administrator) : refuseOthers(reply, request.url, viewer);
  });
}

/** The viewer as administrator of the organisation that the path names; null = may not administer it. */
async function administratorOf(
  viewer: Viewer | null,
  request: FastifyRequest,
  isFresh = false,
): Promise<Administrator | null> {
  const organisation = nameKey(organisationIn(request));
  if (viewer === null || viewer.formToken === null || viewer.actor === null) return null;
  if (!(await viewer.mayAdministrateOrganisation(organisation, isFresh))) return null;
  const { formToken, actor } = viewer;
  return { ...viewer, formToken, actor, organisation };
}

/** Like `administratorOf`, for a change: the right is read again, for those who had it at the last reading. */
export async function administratorNow(
  viewer: Viewer,
  request: FastifyRequest,
): Promise<Administrator | null> {
  return (await administratorOf(viewer, request)) && administratorOf(viewer, request, true);
}

/** Whether a token belongs to the organisation, whatever its scopes. */
export function isMember({ organisation }: Viewer, request: FastifyRequest): boolean {
  return isSameName(organisation, organisationIn(request));
}

/** The same for every organisation, so that it does not reveal which ones are known here. */
export function refuseOthers(reply: FastifyReply, next: string, viewer: Viewer | null): FastifyReply {
  const login = { problem: needsOwner, next: ownPath(next), scopes: "admin" };
  const isPerson = viewer !== null && viewer.person !== null;
  const offered = isPerson ? { ...login, hasGitHub: false } : login;
  return showLogin(reply.code(viewer?.actor ? 403 : 401), offered, viewer);
}

/** The organisation that the path of a page names. */
export function organisationIn({ params }: FastifyRequest): string {
  return (params as Record<string, string>).organisation ?? "";
}

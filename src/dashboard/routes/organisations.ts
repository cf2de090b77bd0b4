import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { isSameName } from "../../engine/model/names.ts";
import type { DashboardServices } from "../dashboard-services.ts";
import type { SignedInActor, Viewer } from "../session.ts";
import { showLogin } from "./replies.ts";

const needsToken =
  "This page is about a whole organisation, and GitHub tells us only who administers a repository. So this page is for API tokens of the organisation with the scope admin.";

/** Somebody whom the API lets administer an organisation. */
export type Administrator = Viewer & {
  readonly formToken: string;
  readonly actor: SignedInActor;
  readonly organisation: NonNullable<Viewer["organisation"]>;
};

/** Serves a page about an organisation to those whom the API lets administer it. */
export function serveToOwners(
  app: FastifyInstance,
  { sessions }: Pick<DashboardServices, "sessions">,
  route: string,
  answer: (request: FastifyRequest, reply: FastifyReply, viewer: Administrator) => Promise<FastifyReply>,
): void {
  app.get(route, async (request, reply) => {
    const viewer = await sessions.viewer(request);
    if (!mayAdminister(viewer, request)) return askForToken(reply, request.url, viewer);
    return answer(request, reply, viewer);
  });
}

/** A token's scopes are read with each request, so this is also fresh enough for changes. */
export function mayAdminister(viewer: Viewer | null, request: FastifyRequest): viewer is Administrator {
  return viewer?.organisation?.isAdministered === true && isMember(viewer, request);
}

export function isMember({ organisation }: Viewer, request: FastifyRequest): boolean {
  return isSameName(organisation?.name, organisationIn(request));
}

/** The same for every organisation, so that it does not reveal which ones are known here. */
export function askForToken(reply: FastifyReply, next: string, viewer: Viewer | null): FastifyReply {
  const login = { problem: needsToken, next, scopes: "admin", hasGitHub: false };
  return showLogin(reply.code(viewer?.actor ? 403 : 401), login, viewer);
}

/** The organisation that the path of a page names. */
export function organisationIn({ params }: FastifyRequest): string {
  return (params as Record<string, string>).organisation ?? "";
}

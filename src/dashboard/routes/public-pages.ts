import type { FastifyInstance } from "fastify";
import type { DashboardServices } from "../dashboard-services.ts";
import { nextStepsPath, renderNextSteps } from "../next-steps-page.ts";
import type { ApiDocument } from "../reference/api-document.ts";
import { renderReference } from "../reference/reference-page.ts";
import { notFound, show } from "./replies.ts";

/** Only the style and the icon are loaded, and no script runs. */
const inertPolicy =
  "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/** The pages that contain nothing about queues: the reference of the API, and the next steps after an installation. */
export function servePublicPages(
  app: FastifyInstance,
  { apiDocument, nextSteps, sessions }: DashboardServices,
): void {
  let reference: string | null = null;
  app.get("/docs", async (request, reply) => {
    reference ??= renderReference(apiDocument() as ApiDocument);
    reply.header("content-security-policy", inertPolicy);
    return show(reply, "API", reference, await sessions.viewer(request), { isLive: false });
  });

  // Programs get the answer of the API.
  app.get("/*", async (request, reply) => {
    if (!/\btext\/html\b/.test(request.headers.accept ?? "") || request.url.startsWith("/v1/"))
      return reply.callNotFound();
    await sessions.viewer(request);
    return notFound(reply, "page");
  });

  app.get(nextStepsPath, async (request, reply) =>
    show(reply, "Next steps", renderNextSteps(nextSteps, request.query), null, { isLive: false }),
  );
}

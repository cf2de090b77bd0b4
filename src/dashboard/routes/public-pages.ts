import type { FastifyInstance } from "fastify";
import type { DashboardParts } from "../dashboard-parts.ts";
import { nextStepsPath, renderNextSteps } from "../next-steps-page.ts";
import type { ApiDocument } from "../reference/api-document.ts";
import { renderReference } from "../reference/reference-page.ts";
import { pageType, show } from "./replies.ts";

/** Only the style and the icon are loaded, and no script runs. */
const inertPolicy =
  "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

/** The pages that say nothing about anybody's queues: the reference of the API, and the next steps after an installation. */
export function servePublicPages(app: FastifyInstance, { apiDocument, nextSteps }: DashboardParts): void {
  let reference: string | null = null;
  app.get("/docs", async (_request, reply) => {
    reference ??= renderReference(apiDocument() as ApiDocument);
    return reply.header("content-security-policy", inertPolicy).type(pageType).send(reference);
  });

  app.get(nextStepsPath, async (request, reply) =>
    show(reply, "Next steps", renderNextSteps(nextSteps, request.query)),
  );
}

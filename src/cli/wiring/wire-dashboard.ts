import type { FastifyPluginAsync } from "fastify";
import { openApiDocument } from "../../api/openapi/document.ts";
import { dashboardPlugin } from "../../dashboard/dashboard-plugin.ts";
import { LivePages } from "../../dashboard/live.ts";
import { queuePath } from "../../dashboard/queue-page.ts";
import { Sessions } from "../../dashboard/session.ts";
import { DashboardSessions } from "../../service/access/dashboard-sessions.ts";
import type { Service } from "../../service/create-service.ts";
import { GivenUpDeliveries } from "../../service/observation/given-up-deliveries.ts";
import type { Foundation } from "./foundation.ts";

/** The dashboard, and its open pages, which change with each event of their queue. */
export function wireDashboard(
  { settings, store, clock, log }: Foundation,
  service: Service,
): { readonly plugin: FastifyPluginAsync; readonly live: LivePages } {
  const { publicUrl, dashboard, github, testBranchPrefix, commandPrefix } = settings;
  const live = new LivePages(log);
  service.runtime.onCommit((_id, _events, state) => live.changed(queuePath(state).toLowerCase()));
  const sessions = new Sessions(new DashboardSessions(store.sessions, service.tokens, clock), {
    public: dashboard === "public",
    secure: publicUrl?.startsWith("https:") ?? false,
  });
  const plugin = dashboardPlugin({
    queues: service.queues,
    givenUp: new GivenUpDeliveries(store.inbox),
    tests: service.knownTests,
    doctor: service.doctor,
    sessions,
    live,
    apiDocument: openApiDocument,
    publicUrl,
    nextSteps: { webUrl: github.webUrl, testBranchPrefix, commandPrefix },
    now: clock.now,
  });
  return { plugin, live };
}

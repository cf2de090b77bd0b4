import { createAppAuth } from "@octokit/auth-app";
import { Octokit } from "@octokit/rest";
import type { Sandbox } from "../../tools/sandbox/sandbox.ts";

/** Redelivers the only failed delivery of an event, as the App can request. */
export async function redeliver(sandbox: Sandbox, event: string, action: string): Promise<void> {
  await sandbox.settled();
  const { id: appId, privateKey } = sandbox.app;
  const auth = { appId, privateKey };
  const app = new Octokit({ baseUrl: `${sandbox.url}/api/v3`, authStrategy: createAppAuth, auth });
  const failed = sandbox.deliveries.filter(
    (one) => !one.succeeded && one.event === event && one.action === action,
  );
  const [delivery] = failed;
  if (!delivery || failed.length > 1)
    throw new Error(`${failed.length} deliveries of ${event}.${action} have failed`);
  await app.rest.apps.redeliverWebhookDelivery({ delivery_id: delivery.id });
}

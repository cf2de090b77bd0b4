import { createHmac, randomUUID } from "node:crypto";
import type { Stage } from "./stage.ts";

/** Delivers a signed webhook about a comment that our Octokits cannot write, such as one by a bot. */
export async function deliverComment(
  stage: Stage,
  pr: number,
  body: string,
  sender: { login: string; id: number; type: "User" | "Bot" },
  options: { viaAppId?: number; createdAt?: Date; to?: string } = {},
): Promise<void> {
  const { viaAppId, createdAt = new Date(), to } = options;
  const id = 2_000_000_000 + Math.floor(Math.random() * 1_000_000);
  const about = {
    action: "created",
    issue: { number: pr, pull_request: { url: "" }, labels: [] },
    comment: {
      id,
      node_id: `comment-${id}`,
      body,
      created_at: createdAt.toISOString(),
      user: sender,
      performed_via_github_app: viaAppId === undefined ? null : { id: viaAppId },
    },
    sender,
  };
  await deliver(stage, "issue_comment", about, to);
}

/** Delivers a signed webhook about a label change that our Octokits cannot make. */
export async function deliverLabel(
  stage: Stage,
  pr: number,
  action: "labeled" | "unlabeled",
  label: string,
  sender: { login: string; id: number; type: "User" | "Bot" },
): Promise<void> {
  const pull = await stage.pull(pr);
  const labels = action === "labeled" ? [...pull.labels, { name: label }] : [];
  await deliver(stage, "pull_request", {
    action,
    label: { name: label },
    pull_request: { ...pull, labels },
    sender,
  });
}

/** Delivers a signed webhook about the repository, to the service or to another address. */
export async function deliver(stage: Stage, event: string, about: object, to = stage.url): Promise<void> {
  const installation = stage.sandbox.deliveries.findLast(({ installationId }) => installationId !== null);
  const payload = JSON.stringify({
    repository: { id: 1, name: "widgets", full_name: "acme/widgets", owner: { login: "acme" } },
    installation: { id: installation?.installationId },
    ...about,
  });
  const signature = createHmac("sha256", stage.sandbox.app.webhookSecret).update(payload).digest("hex");
  const response = await fetch(`${to}/api/github/webhooks`, {
    method: "POST",
    body: payload,
    headers: {
      "content-type": "application/json",
      "x-github-event": event,
      "x-github-delivery": randomUUID(),
      "x-hub-signature-256": `sha256=${signature}`,
    },
  });
  if (!response.ok) throw new Error(`the delivery was answered ${response.status}`);
}

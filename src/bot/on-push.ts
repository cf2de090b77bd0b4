import type * as z from "zod";
import type { BotParts } from "./parts.ts";
import type { pushPayload } from "./payload.ts";

export async function handlePush(
  { relay, settings }: BotParts,
  payload: z.infer<typeof pushPayload>,
): Promise<void> {
  const branch = /^refs\/heads\/(.+)$/.exec(payload.ref)?.[1];
  const { name, owner } = payload.repository;
  const login = owner.login ?? owner.name;
  if (branch === undefined || login === undefined) return;
  await relay.branchPushed({ repo: { host: settings.host, owner: login, name }, branch, sha: payload.after });
}

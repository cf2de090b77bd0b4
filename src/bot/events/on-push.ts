import type * as z from "zod";
import { resemblesRepositoryFile } from "../../command/repository-file.ts";
import type { Bot } from "../bot.ts";
import type { pushPayload } from "../deliveries/payload.ts";
import { checkRepositoryFile } from "./check-repository-file.ts";

export async function handlePush(bot: Bot, payload: z.infer<typeof pushPayload>): Promise<void> {
  const { files, relay, settings } = bot;
  const branch = /^refs\/heads\/(.+)$/.exec(payload.ref)?.[1];
  const { name, owner, default_branch } = payload.repository;
  const login = owner.login ?? owner.name;
  if (branch === undefined || login === undefined) return;
  const repo = { host: settings.host, owner: login, name };
  if (touchesFile(payload)) {
    files.forget(repo, branch);
    const { installation, after, deleted } = payload;
    // Heads of pull requests are checked by their own webhooks, so another check here would be a duplicate.
    if (installation && !deleted && branch === default_branch) {
      await checkRepositoryFile(bot, { ...repo, installationId: installation.id }, after);
    }
  }
  await relay.branchPushed({ repo, branch, sha: payload.after, forced: payload.forced === true });
}

/** Whether a push may change the repository's file, according to its payload. A forced push may change any file. */
function touchesFile({ commits = [], forced }: z.infer<typeof pushPayload>): boolean {
  const paths = commits.flatMap(({ added = [], modified = [], removed = [] }) => [
    ...added,
    ...modified,
    ...removed,
  ]);
  return forced === true || paths.some(resemblesRepositoryFile);
}

import type * as z from "zod";
import { repositoryFilePath } from "../../command/repository-file.ts";
import type { pushPayload } from "../deliveries/payload.ts";
import type { BotParts } from "../parts.ts";
import { checkRepositoryFile } from "./check-repository-file.ts";

export async function handlePush(parts: BotParts, payload: z.infer<typeof pushPayload>): Promise<void> {
  const { files, relay, settings } = parts;
  const branch = /^refs\/heads\/(.+)$/.exec(payload.ref)?.[1];
  const { name, owner, default_branch } = payload.repository;
  const login = owner.login ?? owner.name;
  if (branch === undefined || login === undefined) return;
  const repo = { host: settings.host, owner: login, name };
  if (touches(payload, repositoryFilePath)) {
    files.forget(repo, branch);
    const { installation, after, deleted } = payload;
    // Heads of pull requests are checked by their own webhooks. Another check here would appear beside those.
    if (installation && !deleted && branch === default_branch) {
      await checkRepositoryFile(parts, { ...repo, installationId: installation.id }, after);
    }
  }
  await relay.branchPushed({ repo, branch, sha: payload.after, forced: payload.forced === true });
}

/** Whether a push changes a file, as far as its payload shows. A forced push may change any file. */
function touches({ commits = [], forced }: z.infer<typeof pushPayload>, path: string): boolean {
  const isNamed = (paths: readonly string[] = []) => paths.includes(path);
  return (
    forced === true ||
    commits.some(({ added, modified, removed }) => isNamed(added) || isNamed(modified) || isNamed(removed))
  );
}

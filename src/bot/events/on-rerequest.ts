import type * as z from "zod";
import { type Command, mergeCommand } from "../../command/parse-command.ts";
import { ownCheckName } from "../../engine/model/checks/own-check.ts";
import { isTerminal } from "../../engine/model/entry.ts";
import type { InstalledRepository } from "../../ports/code-host/code-host.ts";
import { OutdatedReading } from "../../service/observation/readings.ts";
import { type Answer, refused } from "../commands/answer.ts";
import { addressed, checkOutdatedText } from "../commands/answer-text.ts";
import { type Commander, refusalOf, standingOf } from "../commands/authorize.ts";
import { executeCommand } from "../commands/execute-command.ts";
import { findEntry } from "../commands/find-entry.ts";
import { noteRefusal } from "../commands/note-refusal.ts";
import { repositoryOf, type rerequestPayload } from "../deliveries/payload.ts";
import type { BotParts } from "../parts.ts";
import { checkRepositoryFile, repositoryFileCheckId } from "./check-repository-file.ts";

type Payload = z.infer<typeof rerequestPayload>;
type Rerequest = Pick<Command & { type: "merge" | "restart" }, "type">["type"];

/**
 * Handles `Re-run` on one of our checks, and `Re-run all checks`. The queue's check restarts the tests of a queued pull
 * request. It submits a pull request that has failed or was cancelled at that head. The check of the repository file reads
 * the file again.
 */
export async function handleRerequest(parts: BotParts, payload: Payload): Promise<void> {
  const { check_run: run, check_suite: suite, sender } = payload;
  const check = run ?? suite;
  if (!check || check.app?.id !== parts.settings.appId) return;
  const repo = repositoryOf(payload, parts.settings.host);
  if (run?.external_id === repositoryFileCheckId) return checkRepositoryFile(parts, repo, check.head_sha);
  const by = { login: sender.login, id: sender.id, isPerson: sender.type === "User" };
  for (const pr of await pullRequestsOf(parts, repo, payload, check))
    await rerun(parts, repo, pr, check.head_sha, run?.name ?? null, by);
}

/** GitHub omits pull requests from forks, and includes those of other repositories that have the same head. */
async function pullRequestsOf(
  { checkedPullRequests }: BotParts,
  repo: InstalledRepository,
  { repository }: Payload,
  { head_sha: sha, pull_requests: named }: NonNullable<Payload["check_run"] | Payload["check_suite"]>,
): Promise<Set<number>> {
  const here = named.filter(({ base }) => base.repo.id === repository.id);
  return new Set([...here.map(({ number }) => number), ...(await checkedPullRequests(repo, sha))]);
}

/** `name` is the name of the check; null when all checks of the head are requested again. */
async function rerun(
  parts: BotParts,
  repo: InstalledRepository,
  pr: number,
  head: string,
  name: string | null,
  commander: Commander,
): Promise<void> {
  const branch = await parts.baseBranchOf(repo, pr);
  // It exists, since it has a check.
  if (branch === null) throw new OutdatedReading(`GitHub does not show #${pr}`);
  if (name !== null && (await isOfOtherQueue(parts, repo, branch, name))) return;
  const entry = await findEntry(parts.client, repo, branch, pr);
  if (!entry) return;
  const isCurrent = entry.prSha === head;
  const verb: Rerequest = isTerminal(entry.state) ? "merge" : "restart";
  const standing = await standingOf(parts, repo, branch, commander);
  const by = { login: commander.login, permission: standing.permission };
  const refusal = refusalOf(verb, commander, standing);
  if (refusal)
    await noteRefusal(parts, { repo, pr, branch, by: commander, via: "check" }, verb, refusal.code);
  const context = {
    id: `rerequested/${head}`,
    comment: 0,
    repo,
    pr,
    branch,
    by,
    via: "check",
    givenAt: parts.clock.now(),
    told: true,
    head,
  } as const;
  const command = verb === "merge" ? mergeCommand : ({ type: verb } as const);
  const outdated =
    isCurrent && entry.state !== "merged"
      ? null
      : refused("CHECK_OUTDATED", checkOutdatedText(pr, entry.state, parts.settings.commandPrefix));
  await answer(
    parts,
    context,
    commander,
    refusal ?? outdated ?? (await executeCommand(parts, context, command)),
  );
}

/** The check of a pull request that has ended keeps the former name of a renamed branch. */
async function isOfOtherQueue(
  { queuesOf }: BotParts,
  repo: InstalledRepository,
  branch: string,
  checkName: string,
): Promise<boolean> {
  if (checkName === ownCheckName(branch)) return false;
  const queues = await queuesOf(repo);
  // A bot that is not part of the queues' service does not know their names.
  return queues.length === 0 || queues.some((queue) => ownCheckName(queue.branch) === checkName);
}

async function answer(
  { notices, log }: BotParts,
  { repo, pr }: { readonly repo: InstalledRepository; readonly pr: number },
  commander: Commander,
  said: Answer,
): Promise<void> {
  const { login } = commander;
  if (!said.done) log.info({ pr, login, code: said.code }, "refused a re-run");
  const text = said.text === null ? null : addressed(commander, said.text);
  await notices.answer(repo, pr, login, text, said.done);
}

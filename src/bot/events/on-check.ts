import type * as z from "zod";
import { type Command, mergeCommand } from "../../command/parse-command.ts";
import { type CheckFact, ownCheckName } from "../../engine/model/checks/required-checks.ts";
import { isTerminal } from "../../engine/model/entry.ts";
import type { InstalledRepository } from "../../ports/code-host/code-host.ts";
import { hintOf } from "../../service/observation/check-watcher.ts";
import { OutdatedReading } from "../../service/observation/readings.ts";
import type { Bot } from "../bot.ts";
import { type Answer, refused } from "../commands/answer.ts";
import { addressed, checkOutdatedText } from "../commands/answer-text.ts";
import { authorizationOf, type Commander, noteRefusal, refusalOf } from "../commands/authorize.ts";
import { executeCommand } from "../commands/execute-command.ts";
import { findEntry } from "../commands/queues.ts";
import {
  type checkRunPayload,
  repositoryOf,
  type rerequestPayload,
  type statusPayload,
} from "../deliveries/payload.ts";
import { checkRepositoryFile, repositoryFileCheckId } from "./check-repository-file.ts";

export async function handleCheckRun(bot: Bot, payload: z.infer<typeof checkRunPayload>): Promise<void> {
  const check = noteCheckRun(bot, payload);
  const repo = repositoryOf(payload, bot.settings.host);
  const hint = check && hintOf(repo, payload.check_run.head_sha, check);
  if (hint) await bot.watcher.hint(hint);
}

/** Records the start or end of a check run, for display. Returns null for our own. */
export function noteCheckRun(
  { webhookChecks, settings }: Bot,
  payload: z.infer<typeof checkRunPayload>,
): CheckFact | null {
  const { check_run: run } = payload;
  if (run.app?.id === settings.appId) return null;
  const check: CheckFact = {
    kind: "check_run",
    name: run.name,
    appId: run.app?.id ?? null,
    suiteId: run.check_suite?.id ?? null,
    id: run.id,
    status: run.status,
    conclusion: run.conclusion,
    url: run.html_url,
    ...(run.started_at ? { startedAt: Date.parse(run.started_at) } : {}),
    ...(run.completed_at ? { completedAt: Date.parse(run.completed_at) } : {}),
  };
  webhookChecks.note(repositoryOf(payload, settings.host), run.head_sha, check);
  return check;
}

export async function handleStatus(
  { watcher, webhookChecks, settings }: Bot,
  payload: z.infer<typeof statusPayload>,
): Promise<void> {
  const { sha } = payload;
  const repo = repositoryOf(payload, settings.host);
  const check = toFact(payload);
  webhookChecks.note(repo, sha, check);
  const hint = hintOf(repo, sha, check);
  if (hint) await watcher.hint(hint);
}

function toFact({ id, context, state, target_url: url }: z.infer<typeof statusPayload>): CheckFact {
  const isPending = state === "pending";
  return {
    kind: "status",
    name: context,
    appId: null,
    suiteId: null,
    id,
    status: isPending ? "in_progress" : "completed",
    conclusion: isPending ? null : state,
    url,
  };
}

type Payload = z.infer<typeof rerequestPayload>;
type Rerequest = Pick<Command & { type: "merge" | "restart" }, "type">["type"];

/**
 * Handles `Re-run` on one of our checks, and `Re-run all checks`. The queue's check restarts the tests of a queued pull
 * request. It submits a pull request that has failed or was cancelled at that head. The check of the repository file reads
 * the file again.
 */
export async function handleRerequest(bot: Bot, payload: Payload): Promise<void> {
  const { check_run: run, check_suite: suite, sender } = payload;
  const check = run ?? suite;
  if (!check || check.app?.id !== bot.settings.appId) return;
  const repo = repositoryOf(payload, bot.settings.host);
  if (run?.external_id === repositoryFileCheckId) return checkRepositoryFile(bot, repo, check.head_sha);
  const by = { login: sender.login, id: sender.id, isPerson: sender.type === "User" };
  for (const pr of await pullRequestsOf(bot, repo, payload, check))
    await rerun(bot, repo, pr, check.head_sha, run?.name ?? null, by);
}

/** GitHub omits pull requests from forks, and includes those of other repositories that have the same head. */
async function pullRequestsOf(
  { publications }: Bot,
  repo: InstalledRepository,
  { repository }: Payload,
  { head_sha: sha, pull_requests: named }: NonNullable<Payload["check_run"] | Payload["check_suite"]>,
): Promise<Set<number>> {
  const here = named.filter(({ base }) => base.repo.id === repository.id);
  return new Set([...here.map(({ number }) => number), ...(await publications.checkedAt(repo, sha))]);
}

/** `name` is the name of the check; null when all checks of the head are requested again. */
async function rerun(
  bot: Bot,
  repo: InstalledRepository,
  pr: number,
  head: string,
  name: string | null,
  commander: Commander,
): Promise<void> {
  const branch = await bot.baseBranchOf(repo, pr);
  // The pull request exists, because it has a check.
  if (branch === null) throw new OutdatedReading(`GitHub does not show #${pr}`);
  if (name !== null && (await isOfOtherQueue(bot, repo, branch, name))) return;
  const entry = await findEntry(bot.client, repo, branch, pr);
  if (!entry) return;
  const isCurrent = entry.prSha === head;
  const verb: Rerequest = isTerminal(entry.state) ? "merge" : "restart";
  const authorization = await authorizationOf(bot, repo, branch, commander);
  const by = { login: commander.login, permission: authorization.permission };
  const refusal = refusalOf(verb, commander, authorization);
  if (refusal) await noteRefusal(bot, { repo, pr, branch, by: commander, via: "check" }, verb, refusal.code);
  const context = {
    id: `rerequested/${head}`,
    comment: 0,
    repo,
    pr,
    branch,
    by,
    via: "check",
    givenAt: bot.clock.now(),
    told: true,
    head,
  } as const;
  const command = verb === "merge" ? mergeCommand : ({ type: verb } as const);
  const outdated =
    isCurrent && entry.state !== "merged"
      ? null
      : refused("CHECK_OUTDATED", checkOutdatedText(pr, entry.state, bot.settings.commandPrefix));
  await answer(bot, context, commander, refusal ?? outdated ?? (await executeCommand(bot, context, command)));
}

/** Whether the check belongs to another queue. The check of an ended pull request keeps the former name of a renamed branch. */
async function isOfOtherQueue(
  { queuesOf }: Bot,
  repo: InstalledRepository,
  branch: string,
  checkName: string,
): Promise<boolean> {
  if (checkName === ownCheckName(branch)) return false;
  const queues = await queuesOf(repo);
  // A bot that runs without the queues' service does not know the branches of queues.
  return queues.length === 0 || queues.some((queue) => ownCheckName(queue.branch) === checkName);
}

async function answer(
  { notices, log }: Bot,
  { repo, pr }: { readonly repo: InstalledRepository; readonly pr: number },
  commander: Commander,
  said: Answer,
): Promise<void> {
  const { login } = commander;
  if (!said.done) log.info({ pr, login, code: said.code }, "refused a re-run");
  const text = said.text === null ? null : addressed(commander, said.text);
  await notices.answer(repo, pr, login, text, said.done);
}

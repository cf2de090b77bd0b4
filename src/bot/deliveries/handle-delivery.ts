import type * as z from "zod";
import { sameRepository } from "../../service/runtime/directory.ts";
import { foundComment, foundLabel } from "../../service/tasks/pending-input.ts";
import type { InboxRow } from "../../store/leased/inbox.ts";
import type { Bot } from "../bot.ts";
import { handleAutoMerge } from "../events/on-auto-merge.ts";
import { handleCheckRun, handleRerequest, handleStatus } from "../events/on-check.ts";
import {
  foundCommentPayload,
  handleComment,
  toComment,
  toDescription,
  toLineComment,
  toReview,
} from "../events/on-comment.ts";
import { handleLabel } from "../events/on-label.ts";
import { handlePullRequest } from "../events/on-pull-request.ts";
import { handlePush } from "../events/on-push.ts";
import {
  authorizationPayload,
  checkRunPayload,
  foundLabelPayload,
  installationPayload,
  issueCommentPayload,
  lineCommentPayload,
  pushPayload,
  readPayload,
  repositoryPayload,
  rerequestPayload,
  reviewPayload,
  rulePayload,
  statusPayload,
} from "./payload.ts";
import { atPresentPlace, presentRepository } from "./present-place.ts";

/** Whether polling found the event; otherwise it came from a webhook. */
export function isFound(event: string): boolean {
  return event === foundComment || event === foundLabel;
}

/**
 * Handles one delivery. If its repository or branch is renamed meanwhile, the delivery is handled again, because there was no queue under
 * the former name. Handling it twice is safe.
 */
export async function handleDelivery(bot: Bot, row: InboxRow): Promise<void> {
  let handled: unknown = null;
  let payload = await atPresentPlace(bot, JSON.parse(row.payload));
  while (payload !== handled) {
    await handle(bot, row, payload);
    handled = payload;
    payload = await atPresentPlace(bot, payload);
  }
}

async function handle(
  bot: Bot,
  { id, event, action }: Pick<InboxRow, "id" | "event" | "action">,
  payload: unknown,
): Promise<void> {
  switch (event) {
    case "issue_comment":
      return handleComment(bot, toComment(readPayload(issueCommentPayload, payload), bot.settings.host));
    case foundComment:
      return handleFoundComment(bot, payload);
    case "pull_request":
    case "pull_request_review":
    case "pull_request_review_thread": {
      const hint = readPayload(reviewPayload, payload);
      await handlePullRequest(bot, hint, event !== "pull_request");
      await handleLabel(bot, hint, { id, foundAt: null });
      await handleAutoMerge(bot, hint, { id, foundAt: null });
      const { host } = bot.settings;
      const text = event === "pull_request" ? toDescription(hint, host) : toReview(hint, host);
      return text ? handleComment(bot, text) : undefined;
    }
    case "pull_request_review_comment":
      return handleComment(bot, toLineComment(readPayload(lineCommentPayload, payload), bot.settings.host));
    case foundLabel:
      return handleFoundLabel(bot, payload, id);
    case "check_suite":
      return handleRerequest(bot, readPayload(rerequestPayload, payload));
    case "check_run":
      if (action === "rerequested") return handleRerequest(bot, readPayload(rerequestPayload, payload));
      return handleCheckRun(bot, readPayload(checkRunPayload, payload));
    case "status":
      return handleStatus(bot, readPayload(statusPayload, payload));
    case "push":
      return handlePush(bot, readPayload(pushPayload, payload));
    case "branch_protection_rule":
    case "repository_ruleset":
      return handleRule(bot, readPayload(rulePayload, payload));
    case "installation":
    case "installation_repositories": {
      const { id, account } = readPayload(installationPayload, payload).installation;
      return bot.reach.receive({ owner: account.login, installationId: id, repositoryId: null });
    }
    case "repository": {
      const { id } = readPayload(repositoryPayload, payload).repository;
      return bot.reach.receive({ owner: null, installationId: null, repositoryId: id });
    }
    case "github_app_authorization":
      // Its only action is `revoked`.
      return bot.sessions.removeAllOf(readPayload(authorizationPayload, payload).sender.id);
    default:
      bot.log.debug({ event }, "nothing to do for this event");
  }
}

async function handleRule(
  { requirements, settings }: Bot,
  { repository, organization }: z.infer<typeof rulePayload>,
): Promise<void> {
  const owner = repository?.owner.login ?? organization?.login;
  if (owner === undefined) return;
  const place = repository && { host: settings.host, owner, name: repository.name };
  await requirements.changed(owner, ({ repo }) => !place || sameRepository(repo, place));
}

async function handleFoundComment(bot: Bot, payload: unknown): Promise<void> {
  const comment = readPayload(foundCommentPayload, payload);
  const repo = await presentRepository(bot, comment.repo, comment.repositoryId);
  await handleComment(bot, { ...comment, repo });
}

async function handleFoundLabel(bot: Bot, payload: unknown, id: string): Promise<void> {
  const { labelledAt: foundAt, ...found } = readPayload(foundLabelPayload, payload);
  await handleLabel(bot, found, { id, foundAt });
  await handleAutoMerge(bot, found, { id, foundAt });
}

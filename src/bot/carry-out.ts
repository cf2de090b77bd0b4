import { ApiError } from "../client/client.ts";
import type { Command } from "../command/parse-command.ts";
import type { InstalledRepository } from "../ports/code-host.ts";
import { type Answer, done, refusedByQueue } from "./answer.ts";
import { helpText, queueStateText, refusalText, restartedText, statusText } from "./answer-text.ts";
import type { BotParts } from "./parts.ts";
import { submit } from "./submit.ts";

export interface CommandContext {
  readonly repo: InstalledRepository;
  readonly pr: number;
  /** What the pull request is to be merged into. */
  readonly branch: string;
  readonly by: { readonly login: string; readonly permission: string };
  readonly via: "comment" | "label";
  /** The head that the command is about, when that is known: a label is put on a head, a comment is not. */
  readonly head: string | null;
  /** The head as last seen, and whether that was pushed before the command was given; null when none was seen. */
  readonly seen: { readonly sha: string; readonly pushed: "before" | "after" } | null;
}

/** A queue as the API addresses it. */
export interface QueueBody {
  readonly repo: { readonly host: string; readonly owner: string; readonly name: string };
  readonly targetBranch: string;
}

const states = { pause: "paused", resume: "running", drain: "draining" } as const;

/** Sends a command to the queue, and answers what became of it. */
export async function carryOut(parts: BotParts, context: CommandContext, command: Command): Promise<Answer> {
  if (command.type === "help") return done(helpText(parts.settings.commandPrefix));
  const { installationId: _, ...repo } = context.repo;
  try {
    return await send(parts, context, command, { repo, targetBranch: context.branch });
  } catch (error) {
    // What the queue refuses is an answer; what failed is tried again.
    if (error instanceof ApiError && error.status < 500 && error.status !== 429 && !mayPass(error)) {
      return refusedByQueue(error.code ?? String(error.status), refusalText(error.detail, context.pr));
    }
    throw error;
  }
}

/** GitHub's incidents deny what is allowed. */
function mayPass({ code }: ApiError): boolean {
  return code === "CODE_HOST_DENIED";
}

async function send(
  parts: BotParts,
  context: CommandContext,
  command: Exclude<Command, { type: "help" }>,
  queue: QueueBody,
): Promise<Answer> {
  const { client } = parts;
  const { by, via } = context;
  const pr = { number: context.pr };
  switch (command.type) {
    case "merge":
      return submit(parts, context, command, queue);
    case "cancel":
      await client.cancelPullRequest({ ...queue, pr, actor: by, via });
      return done();
    case "restart":
      await client.restartTestsOnPullRequest({ ...queue, pr, actor: by, via });
      return done(restartedText());
    case "status":
      return done(statusText(await client.explainPullRequest({ ...queue, pr }), queue.targetBranch));
    case "pause":
    case "resume":
    case "drain": {
      const { reason, type } = command;
      const actor = { ...by, ...(reason === null ? {} : { reason }) };
      const { state } = await client.updateQueue({ ...queue, state: states[type], actor, via });
      return done(queueStateText(queue.targetBranch, state, reason, parts.settings.commandPrefix));
    }
  }
}

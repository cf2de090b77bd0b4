import { ApiError } from "../../client/client.ts";
import type { Command } from "../../command/parse-command.ts";
import { renderRefusal } from "../../engine/model/refusal.ts";
import type { InstalledRepository } from "../../ports/code-host/code-host.ts";
import type { Bot } from "../bot.ts";
import { type Answer, refused, refusedByQueue } from "./answer.ts";
import { pushedSinceText, refusalText } from "./answer-text.ts";

/** A command with its author and its time. */
export interface GivenCommand {
  readonly repo: InstalledRepository;
  readonly pr: number;
  readonly by: { readonly login: string; readonly permission: string };
  /** Milliseconds since the epoch by the code host's clock, which counts whole seconds. */
  readonly givenAt: number;
  /** True when a webhook delivered it, false when polling found it. */
  readonly told: boolean;
  /** The head that a review with the command is about, as GitHub recorded it; null = no review gives the command. */
  readonly reviewed?: string | null;
}

/** A webhook that arrives within this time after its command counts as immediate. */
const liveMs = 60_000;

type HeadCommand = Extract<Command, { type: "merge" | "try" }>;

/**
 * Returns the head that the command is certainly about. Null if that has to be proven, because anybody can make a commit with given first
 * digits.
 */
export function namedHead({ sha }: HeadCommand, { head }: { readonly head: string | null }): string | null {
  if (sha === null) return head;
  return sha.length === wholeSha ? sha : null;
}

const wholeSha = 40;

/**
 * Submits with the head that provably existed when the command was given, because nobody has reviewed later pushes; null when no head is
 * proven. Our log contains only the last head, and lacks heads whose webhooks could not reach the service.
 */
export async function submitAtProvenHead<T>(
  bot: Bot,
  given: GivenCommand,
  { type, sha: beginning }: HeadCommand,
  send: (head: string | null) => Promise<T>,
): Promise<T | (Answer & { done: false })> {
  const { repo, pr, reviewed } = given;
  if (reviewed?.startsWith(beginning ?? "")) return send(reviewed);
  const said = { at: given.givenAt, by: given.by.login, ...(beginning === null ? {} : { beginning }) };
  const logged = beginning === null && isLive(bot, given) ? await headBefore(bot, given) : null;
  if (logged !== null) {
    try {
      return await send(logged);
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== "HEAD_MISMATCH") throw error;
      // A push has just happened, or the webhook of an earlier push was lost.
      const head = await bot.codeHost.headAt(repo, pr, said);
      if (head.kind !== "proven" || head.sha === logged) throw error;
      return send(head.sha);
    }
  }
  const head = await bot.codeHost.headAt(repo, pr, said);
  const { commandPrefix } = bot.settings;
  if (head.kind === "pushed_since") {
    return refused("PUSHED_SINCE", pushedSinceText(pr, head.sha, type, commandPrefix));
  }
  if (head.kind === "proven" && !head.sha.startsWith(beginning ?? "")) {
    const mismatch = { code: "HEAD_MISMATCH", pr, expected: beginning ?? "", actual: head.sha } as const;
    return refusedByQueue(mismatch.code, refusalText(renderRefusal(mismatch), pr, type, commandPrefix));
  }
  return send(head.kind === "proven" ? head.sha : null);
}

/** Whether the command arrived so soon that the webhooks of earlier pushes have arrived, too. */
function isLive({ clock }: Bot, { told, givenAt }: GivenCommand): boolean {
  return told && clock.now() - givenAt <= liveMs;
}

/** Returns the last head in our log; null when it arrived in the second of the command or later. */
async function headBefore({ heads }: Bot, { repo, pr, givenAt }: GivenCommand): Promise<string | null> {
  const seen = await heads.last(repo, pr);
  return seen !== null && Math.floor(seen.at / 1000) < Math.floor(givenAt / 1000) ? seen.sha : null;
}

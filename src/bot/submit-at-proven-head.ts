import { ApiError } from "../client/client.ts";
import type { InstalledRepository } from "../ports/code-host.ts";
import { type Answer, refused } from "./answer.ts";
import { pushedSinceText } from "./answer-text.ts";
import type { BotParts } from "./parts.ts";

/** Who has given a command, when, and how. */
export interface GivenCommand {
  readonly repo: InstalledRepository;
  readonly pr: number;
  readonly by: { readonly login: string; readonly permission: string };
  /** Milliseconds since the epoch by the code host's clock, which tells whole seconds. */
  readonly givenAt: number;
  /** By a webhook; else polling has found it. */
  readonly told: boolean;
}

/** So long after a command was given, its webhook still counts as having come at once. */
const liveMs = 60_000;

/**
 * Submits with the head that was provably there when the command was given, or with null when none is. Nobody has looked at
 * what was pushed since, and what happened while webhooks found nobody is not in our log.
 */
export async function submitAtProvenHead<T>(
  parts: BotParts,
  given: GivenCommand,
  send: (head: string | null) => Promise<T>,
): Promise<T | (Answer & { done: false })> {
  const { repo, pr } = given;
  const said = { at: given.givenAt, by: given.by.login };
  const logged = isLive(parts, given) ? await headBefore(parts, given) : null;
  if (logged !== null) {
    try {
      return await send(logged);
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== "HEAD_MISMATCH") throw error;
      // It was pushed to just now, or the webhook of an earlier push was lost.
      const head = await parts.headAt(repo, pr, said);
      if (head.kind !== "proven" || head.sha === logged) throw error;
      return send(head.sha);
    }
  }
  const head = await parts.headAt(repo, pr, said);
  if (head.kind === "pushed_since") {
    return refused("PUSHED_SINCE", pushedSinceText(pr, head.sha, parts.settings.commandPrefix));
  }
  return send(head.kind === "proven" ? head.sha : null);
}

/** Whether it comes in so soon that the webhooks of earlier pushes have come, too. */
function isLive({ clock }: BotParts, { told, givenAt }: GivenCommand): boolean {
  return told && clock.now() - givenAt <= liveMs;
}

/** The last head that we were told of; null when that was in the command's own second or later. */
async function headBefore({ heads }: BotParts, { repo, pr, givenAt }: GivenCommand): Promise<string | null> {
  const seen = await heads.last(repo, pr);
  return seen !== null && Math.floor(seen.at / 1000) < Math.floor(givenAt / 1000) ? seen.sha : null;
}

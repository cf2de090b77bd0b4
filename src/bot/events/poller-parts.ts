import type { TrainyardClient } from "../../client/client.ts";
import { nameKey } from "../../engine/model/names.ts";
import type { CodeHost, InstalledRepository } from "../../ports/code-host/code-host.ts";
import type { Clock, Logger } from "../../ports/code-host/runtime.ts";
import { ignoredStep } from "../../service/metrics/ignored.ts";
import { recoveredStep } from "../../service/metrics/recovered.ts";
import type { RepositoryFiles } from "../../service/observation/repository-files.ts";
import { wholeSecond } from "../../service/observation/whole-second.ts";
import type { CursorStore } from "../../store/leased/cursor-store.ts";
import type { Delivery, Inbox } from "../../store/leased/inbox.ts";
import type { MeterStore } from "../../store/leased/meter-store.ts";
import type { BotSettings } from "../parts.ts";
import type { PolledQueue } from "./found-deliveries.ts";

export interface PollerParts {
  readonly client: TrainyardClient;
  readonly queues: () => Promise<readonly PolledQueue[]>;
  readonly codeHost: Pick<
    CodeHost,
    "listComments" | "listOpenPullRequests" | "listLabelEvents" | "autoMergeEnabledAt"
  >;
  readonly files: Pick<RepositoryFiles, "read" | "lastValid">;
  readonly inbox: Inbox;
  readonly cursors: CursorStore;
  readonly meters: Pick<MeterStore, "add">;
  readonly settings: BotSettings;
  readonly clock: Clock;
  readonly log: Logger;
  readonly intervalMs: number;
  /** Called when something was put into the inbox. */
  readonly onAdded: () => void;
}

/** How much a clock may differ from the code host's. The doctor calls more than that an error. */
const clockErrorMs = 60_000;

/**
 * Returns since when to look, by the code host's clock. A cursor of an earlier version names the repository; what it stopped at is not
 * looked at again.
 */
export async function pollSince(
  { cursors }: Pick<PollerParts, "cursors">,
  cursor: string,
  earlier: string,
  { createdAt }: PolledQueue,
): Promise<number> {
  const known = await cursors.get(cursor);
  if (known !== null) return Number(known);
  const last = await cursors.get(earlier);
  return last === null ? wholeSecond(createdAt - clockErrorMs) : Number(last) + 1;
}

/** Puts the delivery of something that polling found into the inbox, which recognises what it already has. */
export async function addFound(
  { inbox, onAdded }: Pick<PollerParts, "inbox" | "onAdded">,
  { owner }: InstalledRepository,
  delivery: Delivery,
  what: "comment" | "label",
): Promise<void> {
  const added = await inbox.add(delivery, [recoveredStep(owner, what)]);
  if (added === "added") onAdded();
}

/** Records that a command is too old to be carried out. */
export async function ignoreOld(
  { log, meters }: Pick<PollerParts, "log" | "meters">,
  { owner, name }: InstalledRepository,
  what: object,
): Promise<void> {
  log.warn({ repo: `${owner}/${name}`, ...what, reason: "too_old" }, "ignored a command that polling found");
  await meters.add([ignoredStep(nameKey(owner), "too_old")]);
}

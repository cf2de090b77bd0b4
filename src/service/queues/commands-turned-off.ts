import { type Actor, renderActor } from "../../engine/model/actor.ts";
import type { QueueSettings } from "../../engine/model/settings.ts";

type Changes = Readonly<Partial<QueueSettings>>;

/** Records who disables commands in comments, so that refusals of commands can name whom to ask. */
export function commandsTurnedOff(changes: Changes, before: QueueSettings, actor: Actor): Changes {
  if (changes.commandsEnabled === undefined || changes.commandsEnabled === before.commandsEnabled) return {};
  return { commandsDisabledBy: changes.commandsEnabled ? null : nameOf(actor) };
}

function nameOf(actor: Actor): string {
  return actor.kind === "token" ? `the API token ${JSON.stringify(actor.name)}` : renderActor(actor);
}

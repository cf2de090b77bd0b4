import * as z from "zod";
import type { Actor, Channel } from "../../engine/model/actor.ts";
import type { Principal } from "../../service/access/tokens.ts";
import { anyCase } from "../schema/fields.ts";

/** The longest reason that a person may give for a command, in characters. */
export const maxReason = 200;

/** The person behind a command, and the channel. Both are accepted from the service's own bot only, except `via: "action"`. */
export const onBehalf = {
  actor: z
    .strictObject({
      login: z.string().min(1).max(255),
      permission: z.string().max(100).optional(),
      reason: z.string().max(maxReason).optional().describe("The reason that they gave."),
    })
    .optional()
    .describe("The person on whose behalf the service's own bot acts. Ignored from other senders."),
  via: anyCase(["comment", "label", "auto_merge", "check", "api", "action"])
    .optional()
    .describe("How the command was given."),
};

export type OnBehalf = z.output<z.ZodObject<typeof onBehalf>>;

/**
 * Returns the actor and the channel of a command. The actor is the token or the person who sent it, or the person in the body if the token
 * may act for others.
 */
export function actingFor(principal: Principal, body: OnBehalf): { actor: Actor; via: Channel } {
  if (principal.mayActForOthers) return { actor: personOf(principal, body), via: body.via ?? "api" };
  const fromAction = body.via === "action" && principal.kind !== "person";
  return { actor: senderOf(principal), via: fromAction ? "action" : "api" };
}

/** Without the permission of a person: `admin` would also admit forks that change workflows, which need a comment. */
export function senderOf({ kind, name }: Principal): Actor {
  return { kind: kind === "person" ? "user" : "token", name };
}

function personOf(principal: Principal, { actor }: OnBehalf): Actor {
  if (!actor) return senderOf(principal);
  const { login: name, permission, reason } = actor;
  return {
    kind: "user",
    name,
    ...(permission === undefined ? {} : { permission }),
    ...(reason === undefined ? {} : { reason }),
  };
}

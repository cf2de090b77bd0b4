import type { Actor, Channel } from "../../engine/model/actor.ts";
import type { Principal } from "../../service/access/tokens.ts";
import type { OnBehalf } from "../schema/on-behalf.ts";

/**
 * Returns the actor and the channel of a command. The actor is the token, or the person in the body if the token may act for
 * others.
 */
export function actingFor(principal: Principal, body: OnBehalf): { actor: Actor; via: Channel } {
  if (principal.mayActForOthers) return { actor: personOf(principal, body), via: body.via ?? "api" };
  return { actor: tokenOf(principal), via: body.via === "action" ? "action" : "api" };
}

export function tokenOf(principal: Principal): Actor {
  return { kind: "token", name: principal.name };
}

function personOf(principal: Principal, { actor }: OnBehalf): Actor {
  if (!actor) return tokenOf(principal);
  const { login: name, permission, reason } = actor;
  return {
    kind: "user",
    name,
    ...(permission === undefined ? {} : { permission }),
    ...(reason === undefined ? {} : { reason }),
  };
}

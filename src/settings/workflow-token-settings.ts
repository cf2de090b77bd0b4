import * as z from "zod";
import type { SettingsIssue, Variables } from "./variables.ts";

export interface WorkflowTokenSettings {
  readonly issuer: string;
  /** The required audience of such a token: this service and no other. */
  readonly audience: string;
  /** The address of the issuer's public keys. */
  readonly keysUrl: string;
}

export const workflowTokenEnvironment = z.object({
  TRAINYARD_OIDC: z.enum(["on", "off"]).default("on"),
  TRAINYARD_OIDC_ISSUER: z.url().optional(),
  TRAINYARD_OIDC_KEYS_URL: z.url().optional(),
  TRAINYARD_OIDC_AUDIENCE: z.string().trim().min(1).optional(),
});

/** The address of the service. */
interface Addresses {
  readonly TRAINYARD_PUBLIC_URL?: string | undefined;
}

/**
 * Returns the settings; null = workflow tokens are not accepted. They are accepted by default if the service knows its own
 * address. Without its own audience, it would accept tokens that were issued for another service.
 *
 * @param issuerOfHost the issuer of tokens at the code host
 */
export function workflowTokenSettings(
  env: z.infer<typeof workflowTokenEnvironment> & Addresses,
  issuerOfHost: string,
): WorkflowTokenSettings | null {
  const audience = env.TRAINYARD_OIDC_AUDIENCE ?? env.TRAINYARD_PUBLIC_URL?.replace(/\/+$/, "");
  if (env.TRAINYARD_OIDC === "off" || audience === undefined) return null;
  const issuer = env.TRAINYARD_OIDC_ISSUER ?? issuerOfHost;
  const keysUrl = env.TRAINYARD_OIDC_KEYS_URL ?? `${issuer.replace(/\/+$/, "")}/.well-known/jwks`;
  return { issuer, audience, keysUrl };
}

export function audienceIssues(env: Variables): SettingsIssue[] {
  const isAsked = env.TRAINYARD_OIDC_ISSUER || env.TRAINYARD_OIDC_KEYS_URL || env.TRAINYARD_OIDC === "on";
  if (!isAsked || env.TRAINYARD_OIDC_AUDIENCE || env.TRAINYARD_PUBLIC_URL) return [];
  const problem = "is missing; it is the audience of the workflows' tokens, by default TRAINYARD_PUBLIC_URL";
  return [{ variable: "TRAINYARD_OIDC_AUDIENCE", problem }];
}

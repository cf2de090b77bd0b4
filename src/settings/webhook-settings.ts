import { readFileSync } from "node:fs";
import * as z from "zod";
import { type SettingsIssue, toIssue, type Variables, withoutEmpty, withSecretFiles } from "./variables.ts";

export interface WebhookSettings {
  /** Keys that encrypt the secrets in the database, the current one first. */
  readonly encryptionKeys: readonly Buffer[];
  /** Whether webhooks may be sent to private addresses, and over plain HTTP. */
  readonly webhooksAllowPrivate: boolean;
  /** The ports that webhooks may be sent to; null = any. */
  readonly webhookPorts: readonly number[] | null;
  /** How long delivered webhooks are remembered. */
  readonly webhookRetentionMs: number;
}

const dayMs = 86_400_000;

const encryptionKey = z
  .string()
  .regex(/^[A-Za-z0-9+/]{43}=$/, "must be 32 random bytes in base64, as openssl rand -base64 32 makes them")
  .transform((encoded) => Buffer.from(encoded, "base64"));

const portList = z
  .string()
  .regex(/^(any|\d{1,5}( *, *\d{1,5})*)$/, "must be ports, such as 443 or 443,8443, or any")
  .transform((text) => (text === "any" ? "any" : text.split(",").map(Number)))
  .refine((ports) => ports === "any" || ports.every((port) => port >= 1 && port <= 65_535), {
    error: "must be ports from 1 to 65535",
  });

export const webhookEnvironment = z.object({
  TRAINYARD_ENCRYPTION_KEY: encryptionKey.optional(),
  TRAINYARD_ENCRYPTION_KEY_PREVIOUS: encryptionKey.optional(),
  TRAINYARD_WEBHOOK_ALLOW_PRIVATE: z.enum(["true", "false"]).default("false"),
  TRAINYARD_WEBHOOK_PORTS: portList.optional(),
  TRAINYARD_WEBHOOK_RETENTION_DAYS: z.coerce.number().int().min(1).max(365).default(7),
});

/** Parses the part of the environment that concerns webhooks. */
export function parseWebhookSettings(env: Variables): WebhookSettings | { issues: readonly SettingsIssue[] } {
  const secrets = withSecretFiles(env, (path) => readFileSync(path, "utf8"));
  const parsed = webhookEnvironment.safeParse(withoutEmpty(secrets.env));
  if (parsed.success && secrets.issues.length === 0) return toWebhookSettings(parsed.data);
  return { issues: [...secrets.issues, ...(parsed.error?.issues.map(toIssue) ?? [])] };
}

export function toWebhookSettings(env: z.infer<typeof webhookEnvironment>): WebhookSettings {
  const keys = [env.TRAINYARD_ENCRYPTION_KEY, env.TRAINYARD_ENCRYPTION_KEY_PREVIOUS];
  const webhooksAllowPrivate = env.TRAINYARD_WEBHOOK_ALLOW_PRIVATE === "true";
  // Services inside a network mostly listen on other ports.
  const ports = env.TRAINYARD_WEBHOOK_PORTS ?? (webhooksAllowPrivate ? "any" : [443]);
  return {
    encryptionKeys: keys.filter((key) => key !== undefined),
    webhooksAllowPrivate,
    webhookPorts: ports === "any" ? null : ports,
    webhookRetentionMs: env.TRAINYARD_WEBHOOK_RETENTION_DAYS * dayMs,
  };
}

import { createPrivateKey } from "node:crypto";
import type { SettingsIssue, Variables } from "./variables.ts";

export interface AppSettings {
  readonly id: number;
  /** PEM. */
  readonly privateKey: string;
  /** The current webhook secret first, then the previous one while it is being rotated. */
  readonly webhookSecrets: readonly [string, ...string[]];
  /** The credentials for sign-in with GitHub; null = people sign in with tokens only. */
  readonly oauth: { readonly clientId: string; readonly clientSecret: string } | null;
}

/** Returns the App's credentials; null when none of them are set, as on a first start. */
export function appSettings(
  env: Variables,
  readFile: (path: string) => string,
): { app: AppSettings | null; issues: SettingsIssue[] } {
  const { APP_ID, PRIVATE_KEY, PRIVATE_KEY_PATH, WEBHOOK_SECRET, WEBHOOK_SECRET_PREVIOUS } = env;
  if (!APP_ID && !PRIVATE_KEY && !PRIVATE_KEY_PATH && !WEBHOOK_SECRET) return { app: null, issues: [] };
  const issues: SettingsIssue[] = [];
  const fault = (variable: string, problem: string) => issues.push({ variable, problem });
  if (!APP_ID) fault("APP_ID", "is missing; the App's settings page on GitHub shows it");
  if (!WEBHOOK_SECRET)
    fault("WEBHOOK_SECRET", "is missing; set it to the webhook secret in the App's settings on GitHub");
  for (const variable of ["WEBHOOK_SECRET", "WEBHOOK_SECRET_PREVIOUS"] as const) {
    if (env[variable] !== "development") continue;
    fault(
      variable,
      'is "development", which everybody knows; set a random one here and on the App\'s settings page',
    );
  }
  const { GITHUB_CLIENT_ID: clientId, GITHUB_CLIENT_SECRET: clientSecret } = env;
  if (Boolean(clientId) !== Boolean(clientSecret)) {
    fault(
      clientId ? "GITHUB_CLIENT_SECRET" : "GITHUB_CLIENT_ID",
      "is missing; the two go together, and the App's settings page on GitHub has both",
    );
  }
  const key = privateKey(PRIVATE_KEY, PRIVATE_KEY_PATH, readFile);
  if ("problem" in key)
    fault(PRIVATE_KEY || !PRIVATE_KEY_PATH ? "PRIVATE_KEY" : "PRIVATE_KEY_PATH", key.problem);
  if (issues.length > 0 || "problem" in key || !WEBHOOK_SECRET) return { app: null, issues };
  const previous = WEBHOOK_SECRET_PREVIOUS ? [WEBHOOK_SECRET_PREVIOUS] : [];
  const oauth = clientId && clientSecret ? { clientId, clientSecret } : null;
  const webhookSecrets = [WEBHOOK_SECRET, ...previous] as const;
  return { app: { id: Number(APP_ID), privateKey: key.pem, webhookSecrets, oauth }, issues };
}

/** Reads the key of a variable or of a file. */
function privateKey(
  value: string | undefined,
  path: string | undefined,
  readFile: (path: string) => string,
): { pem: string } | { problem: string } {
  if (!value && !path) {
    return {
      problem: "is missing; generate a key on the App's settings page, or set PRIVATE_KEY_PATH to its file",
    };
  }
  if (value || !path) return parsePrivateKey(value ?? "");
  try {
    return parsePrivateKey(readFile(path));
  } catch (error) {
    return { problem: `cannot be read: ${error instanceof Error ? error.message : String(error)}` };
  }
}

const pemPattern = /-----BEGIN ([A-Z ]*PRIVATE KEY)-----([A-Za-z0-9+/=\s]+)-----END \1-----/;

/**
 * Reads a private key in all forms that Probot accepts, with real or escaped line breaks or base64-encoded. Also accepts common results of
 * pasting: Windows line breaks, spaces instead of line breaks, and quotes.
 *
 * @returns a PEM with lines of 64 characters, or the problem as words that follow the name of the variable
 */
function parsePrivateKey(text: string): { readonly pem: string } | { readonly problem: string } {
  const decoded = text.includes("-----BEGIN") ? text : Buffer.from(text, "base64").toString("utf8");
  const [, label, body] = pemPattern.exec(decoded.replaceAll(/\\[rn]/g, "\n")) ?? [];
  if (label === undefined || body === undefined)
    return { problem: "is not a private key in PEM format, without a passphrase" };
  const lines = body.replaceAll(/\s/g, "").match(/.{1,64}/g) ?? [];
  const pem = [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`].join("\n");
  const problem = problemOf(pem);
  return problem === null ? { pem } : { problem };
}

function problemOf(pem: string): string | null {
  try {
    const { asymmetricKeyType } = createPrivateKey(pem);
    if (asymmetricKeyType === "rsa") return null;
    return `is a key of the type ${asymmetricKeyType}, but the keys of GitHub Apps are of the type rsa`;
  } catch {
    // The error of OpenSSL does not help people.
    return "is damaged or incomplete; copy the whole file that the App's settings page gave you";
  }
}

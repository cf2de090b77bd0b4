import pino from "pino";
import pretty from "pino-pretty";
import type { Settings } from "../settings/settings.ts";

export type Log = pino.Logger;

const standardError = 2;

/**
 * Creates a log on standard error: structured, or as lines for people. GitHub's requests and answers are left out, because
 * they carry credentials.
 *
 * @param destination a file descriptor
 */
export function createLog(
  { logLevel, logFormat }: Pick<Settings, "logLevel" | "logFormat">,
  destination = standardError,
): Log {
  const options: pino.LoggerOptions = {
    level: logLevel,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: ["err.request", "err.response", "err.cause", "err.event"], remove: true },
    // Texts may contain a token, too, such as the address in an error of git.
    hooks: { streamWrite: redactTokens },
  };
  if (logFormat === "json") return pino(options, pino.destination({ dest: destination, sync: true }));
  return pino(
    options,
    pretty({ destination, translateTime: "SYS:HH:MM:ss", ignore: "pid,hostname", sync: true }),
  );
}

/**
 * Matches complete tokens of GitHub of any length. Installation tokens contain a JWT, with dots and underscores. The length
 * of a JWT is limited, so that no text takes long.
 * https://github.blog/changelog/2026-04-24-notice-about-upcoming-new-format-for-github-app-installation-tokens/
 */
const tokens = /gh[oprsu]_[\w.-]{16,}|github_pat_\w{16,}|eyJ[\w-]{8,4000}\.[\w-]{8,4000}\.[\w-]{8,4000}/g;

/** Removes tokens of GitHub from a text. JSON stays valid. */
function redactTokens(text: string): string {
  return text.replaceAll(tokens, "[token]");
}

import pino from "pino";
import pretty from "pino-pretty";
import type { Settings } from "../settings/settings.ts";
import { redactTokens } from "./redact-tokens.ts";

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
    // Texts may hold a token, too, such as the address in an error of git.
    hooks: { streamWrite: redactTokens },
  };
  if (logFormat === "json") return pino(options, pino.destination({ dest: destination, sync: true }));
  return pino(
    options,
    pretty({ destination, translateTime: "SYS:HH:MM:ss", ignore: "pid,hostname", sync: true }),
  );
}

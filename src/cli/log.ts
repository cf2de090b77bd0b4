import pino from "pino";
import pretty from "pino-pretty";
import type { Settings } from "../settings/settings.ts";

export type Log = pino.Logger;

/** Structured logs on standard error, or lines for people. Requests and answers of GitHub stay out: they carry credentials. */
export function createLog({ logLevel, logFormat }: Pick<Settings, "logLevel" | "logFormat">): Log {
  const options: pino.LoggerOptions = {
    level: logLevel,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: ["err.request", "err.response", "err.cause", "err.event"], remove: true },
  };
  if (logFormat === "json") return pino(options, pino.destination(2));
  return pino(
    options,
    pretty({ destination: 2, translateTime: "SYS:HH:MM:ss", ignore: "pid,hostname", sync: true }),
  );
}

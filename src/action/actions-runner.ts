import { appendFile } from "node:fs/promises";
import { debug, error, info, notice, setOutput, setSecret, warning } from "@actions/core";
import type { Runner } from "./step.ts";

/** GitHub discards a summary of more than 1 MiB entirely. */
const maxSummaryBytes = 1_000_000;

const annotations = { notice, warning, error };

/** Shorter parts of a secret may be words that occur in other texts. */
const minPartLength = 24;

/**
 * The parts of a token that holds a JWT, `ghs_APPID_HEADER.PAYLOAD.SIGNATURE`. They are masked one by one, because software that finds
 * tokens with a regular expression for the short form removes only the first part, and would show the rest.
 */
function longParts(secret: string): string[] {
  return secret.includes(".") ? secret.split(".").filter((part) => part.length >= minPartLength) : [];
}

/** A line break in a title or a path could begin a workflow command. */
const oneLine = (text: string) => text.replaceAll(/\p{Cc}+/gu, " ");

/** The runner, used through its workflow commands and files. @param summaryFile absent on old GitHub Enterprise Servers. */
export function createActionsRunner(summaryFile: string | undefined, isVerbose: boolean): Runner {
  const secrets: string[] = [];
  const clean = (text: string) =>
    secrets.reduce((cleaned, secret) => cleaned.replaceAll(secret, "***"), text);

  return {
    mask(secret) {
      for (const part of [secret, ...longParts(secret)]) {
        setSecret(part);
        secrets.push(part);
      }
    },
    log(line) {
      info(oneLine(clean(line)));
    },
    detail(line) {
      (isVerbose ? info : debug)(oneLine(clean(line)));
    },
    annotate(level, title, message) {
      annotations[level](clean(message), { title: `Trainyard: ${clean(title)}` });
    },
    output(name, value) {
      setOutput(name, clean(value));
    },
    async summarise(markdown) {
      if (!summaryFile) return;
      const bytes = Buffer.from(`${clean(markdown)}\n`);
      try {
        await appendFile(summaryFile, bytes.subarray(0, maxSummaryBytes));
      } catch (cause) {
        warning(`The summary could not be written: ${String(cause)}`);
      }
    },
  };
}

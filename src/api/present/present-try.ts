import type * as z from "zod";
import type { Try } from "../../engine/model/tries/try.ts";
import type { tryAnswer } from "../schema/try-answer.ts";
import { timestamp } from "./timestamp.ts";

export function presentTry({ pr, headSha, askedAt, run }: Try): z.output<typeof tryAnswer> {
  return {
    prNumber: pr,
    prSha: headSha,
    state: run === null ? "waiting" : run.state === "building" ? "building" : "testing",
    askedAt: timestamp(askedAt),
    testRunId: run?.id ?? null,
  };
}

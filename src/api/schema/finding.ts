import * as z from "zod";
import { findingCodes, severities } from "../../service/doctor/finding.ts";

/** Something that keeps a queue from working as it should. */
export const finding = z.object({
  code: z.enum(findingCodes),
  severity: z
    .enum(severities)
    .describe(
      "`error`: pull requests cannot be merged, or not as they should be. `warning`: it costs time or safety. `note`: good to know.",
    ),
  title: z.string(),
  cause: z.string().describe("Why it matters."),
  evidence: z.string().describe("What was seen."),
  fix: z.object({
    text: z.string().describe("What to do."),
    url: z.string().nullable().describe("The page on which to do it."),
  }),
});

/** Something that could not be examined. */
export const unexamined = z.object({ code: z.enum(findingCodes), why: z.string() });

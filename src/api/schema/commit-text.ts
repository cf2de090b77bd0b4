import * as z from "zod";
import { maxCommitMessage, maxCommitTitle, plainMessage, plainTitle } from "../../command/commit-text.ts";

const wellFormed = { error: "must be well-formed Unicode" };

export const commitTitle = z
  .string()
  .trim()
  .min(1)
  .max(maxCommitTitle)
  .regex(plainTitle, { error: "must be one line without control characters" })
  .refine((text) => text.isWellFormed(), wellFormed);

/** Line breaks are converted to those of git. */
export const commitMessage = z
  .string()
  .trim()
  .min(1)
  .max(maxCommitMessage)
  .regex(plainMessage, { error: "must not hold control characters but tabs and line breaks" })
  .refine((text) => text.isWellFormed(), wellFormed)
  .transform((text) => text.replaceAll(/\r\n?/g, "\n"));

import * as z from "zod";
import { maxPriority, parsePriority } from "../../engine/model/priority.ts";

const forms = `must be urgent, high, medium, low or 0…${maxPriority}`;

/** A priority as clients send it: a number, its name, digits as text; null = the default. */
export const priority = z
  .union([z.number(), z.string(), z.null()], { error: forms })
  .transform((input, context) => {
    const parsed = input === null ? null : parsePriority(input);
    if (input !== null && parsed === null) {
      context.addIssue({ code: "custom", message: forms });
    }
    return parsed;
  })
  .describe("Lower goes first: `urgent` 0, `high` 10, `medium` 100 (the default), `low` 200, or a number.");

import * as z from "zod";
import { anyCase } from "./any-case.ts";

/** The person behind a command, and the channel. Both are accepted from the service's own bot only, except `via: "action"`. */
export const onBehalf = {
  actor: z
    .strictObject({
      login: z.string().min(1).max(255),
      permission: z.string().max(100).optional(),
      reason: z.string().max(200).optional().describe("The reason that they gave."),
    })
    .optional()
    .describe("The person on whose behalf the service's own bot acts. Ignored from other senders."),
  via: anyCase(["comment", "label", "auto_merge", "check", "api", "action"])
    .optional()
    .describe("How the command was given."),
};

export type OnBehalf = z.output<z.ZodObject<typeof onBehalf>>;

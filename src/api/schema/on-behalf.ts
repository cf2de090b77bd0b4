import * as z from "zod";
import { anyCase } from "./any-case.ts";

/** Who commands, and how. Heeded from the service's own bot; from others only `via: "action"` is. */
export const onBehalf = {
  actor: z
    .object({
      login: z.string().min(1).max(255),
      permission: z.string().max(100).optional(),
      reason: z.string().max(200).optional().describe("The reason that they gave."),
    })
    .optional()
    .describe("The person on whose behalf the service's own bot acts. Ignored from everybody else."),
  via: anyCase(["comment", "label", "auto_merge", "check", "api", "action"])
    .optional()
    .describe("How the command was given."),
};

export type OnBehalf = z.output<z.ZodObject<typeof onBehalf>>;

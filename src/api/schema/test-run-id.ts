import * as z from "zod";

/** The id that ends a test branch's name; what follows it there is not looked at. */
export const testRunId = z
  .string()
  .regex(/^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}(-bisection.*)?$/, {
    error: "must be the id of a test run, the UUID that ends its branch's name",
  })
  .transform((text) => text.slice(0, 36).toLowerCase());

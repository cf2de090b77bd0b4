import * as z from "zod";

/** The id at the end of a test branch's name. A bisection suffix after it is ignored. */
export const testRunId = z
  .string()
  .regex(/^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}(-bisection.*)?$/, {
    error: "must be the id of a test run, the UUID that ends its branch's name",
  })
  .transform((text) => text.slice(0, 36).toLowerCase());

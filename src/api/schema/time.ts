import * as z from "zod";

/** A time in a request. It is converted to milliseconds since the epoch. */
export const time = z.iso
  .datetime({ offset: true, error: "must be a time such as 2026-01-31T12:00:00.000Z" })
  .transform((text) => Date.parse(text));

import * as z from "zod";

/** A time in an answer: `YYYY-MM-DDTHH:mm:ss.sssZ`. */
export const timestamp = z.iso.datetime({ precision: 3 });

import * as z from "zod";

/** Where a page begins: a time, and an id that distinguishes items of the same time. */
type Place = readonly [at: number, id: number];

const content = z.tuple([z.int().min(0), z.int().min(1)]);

/** A cursor that the API returned. It holds nothing secret: a made-up cursor only begins elsewhere. */
export const cursor = z.string().transform((text, context): Place => {
  const parsed = content.safeParse(parseJson(Buffer.from(text, "base64url").toString("utf8")));
  if (parsed.success) return parsed.data;
  context.addIssue({ code: "custom", message: "must be a nextCursor that this endpoint has answered" });
  return z.NEVER;
});

export function renderCursor(place: Place): string {
  return Buffer.from(JSON.stringify(place)).toString("base64url");
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

import * as z from "zod";

/** Where a page of pull requests begins. */
interface Place {
  readonly submittedAt: number;
  readonly pr: number;
}

const content = z.tuple([z.int().min(0), z.int().min(1)]);

/** A cursor as it was handed out. It holds nothing secret: whoever makes one up only begins elsewhere. */
export const cursor = z.string().transform((text, context): Place => {
  const parsed = content.safeParse(parseJson(Buffer.from(text, "base64url").toString("utf8")));
  if (parsed.success) return { submittedAt: parsed.data[0], pr: parsed.data[1] };
  context.addIssue({ code: "custom", message: "must be a nextCursor that this endpoint has answered" });
  return z.NEVER;
});

export function renderCursor({ submittedAt, pr }: Place): string {
  return Buffer.from(JSON.stringify([submittedAt, pr])).toString("base64url");
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

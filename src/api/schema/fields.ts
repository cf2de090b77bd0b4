import * as z from "zod";

/** A time in an answer: `YYYY-MM-DDTHH:mm:ss.sssZ`. */
export const timestamp = z.iso.datetime({ precision: 3 });

/** A time in a request. It is converted to milliseconds since the epoch. */
export const time = z.iso
  .datetime({ offset: true, error: "must be a time such as 2026-01-31T12:00:00.000Z" })
  .transform((text) => Date.parse(text));

/** One of several lower-case words. Older clients send them in upper case. */
export function anyCase<const Words extends readonly string[]>(
  words: Words,
  error?: z.core.$ZodErrorMap<z.core.$ZodIssueInvalidValue>,
) {
  return z.preprocess<unknown, z.ZodEnum<{ [Word in Words[number]]: Word }>, Words[number]>(
    (input) => (typeof input === "string" ? input.toLowerCase() : input),
    z.enum(words, error ? { error } : undefined),
  );
}

/**
 * A field that a known client sends, and that has no effect. It is accepted with any value and dropped: its values may be large.
 * Only fields that change nothing may be ignored. A setting that the service does not have is refused (fixed-settings.ts, ADR 10).
 *
 * @param sender the client, as the subject of a sentence.
 */
export function ignoredField(sender: string) {
  return z
    .unknown()
    .optional()
    .transform(() => undefined)
    .describe(`Ignored. ${sender} sends it.`);
}

/** Where a page begins: a time, and an id that distinguishes items with the same time. */
type Place = readonly [at: number, id: number];

const content = z.tuple([z.int().min(0), z.int().min(1)]);

/** A cursor that the API returned. It contains no secret: a made-up cursor only begins at another place. */
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

/** Enough to show the fault of a list of any length. */
const maxIssues = 10;

export interface TextListBounds {
  readonly maxItems: number;
  readonly emptyItems: boolean;
  /** Maximum size of each item, in bytes of UTF-8. */
  readonly maxBytes: number;
}

/**
 * A list of strings without NUL. Unlike zod's array of strings, it stops after a few issues, because a list of millions of wrong items
 * would cost gigabytes.
 *
 * @param isRead recognises a list that was already converted while the body was parsed.
 */
export function textList<Read = never>(
  bounds: TextListBounds,
  isRead: (input: unknown) => input is Read = isNothing,
) {
  const list = z.custom<readonly string[] | Read>((input) => Array.isArray(input) || isRead(input), {
    error: "must be a list of strings",
    abort: true,
  });
  // The input type is the form that clients send.
  return (list as z.ZodType<readonly string[] | Read, readonly string[]>)
    .superRefine((items: readonly unknown[] | Read, context) => {
      if (isRead(items)) return;
      if (items.length > bounds.maxItems) {
        context.addIssue({ code: "custom", message: `must have at most ${bounds.maxItems} items` });
        return;
      }
      let issues = 0;
      for (let index = 0; index < items.length && issues < maxIssues; index++) {
        const message = faultOf(items[index], bounds);
        if (message === null) continue;
        context.addIssue({ code: "custom", message, path: [index] });
        issues++;
      }
    })
    .meta({ type: "array", items: { type: "string" } });
}

const isNothing = (_input: unknown): _input is never => false;

function faultOf(item: unknown, { emptyItems, maxBytes }: TextListBounds): string | null {
  if (typeof item !== "string") return "must be a string";
  if (item === "" && !emptyItems) return "must not be empty";
  if (item.includes("\0")) return "must not contain a NUL character";
  // A UTF-16 unit takes at most three bytes in UTF-8, so short items need no counting.
  const tooLong = item.length * 3 > maxBytes && Buffer.byteLength(item) > maxBytes;
  return tooLong ? `must be at most ${maxBytes} bytes long` : null;
}

/** Renders a time as in every answer: `YYYY-MM-DDTHH:mm:ss.sssZ`. */
export function renderTimestamp(ms: number): string {
  return new Date(ms).toISOString();
}

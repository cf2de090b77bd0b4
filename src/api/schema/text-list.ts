import * as z from "zod";

/** Enough to show what is wrong, however long the list is. */
const maxIssues = 10;

export interface TextListBounds {
  readonly maxItems: number;
  readonly emptyItems: boolean;
  /** Maximum size of each item, in bytes of UTF-8. */
  readonly maxBytes: number;
}

/**
 * A list of strings without NUL. Unlike zod's array of strings, it stops looking after a few issues: a list of millions of
 * wrong items would otherwise cost gigabytes.
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

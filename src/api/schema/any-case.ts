import * as z from "zod";

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

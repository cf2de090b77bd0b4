import type { Defect } from "./defects.ts";

/** The text of an engine's file with the defect. @throws when the text to replace does not occur exactly once */
export function withDefect({ name, file, replace, by }: Defect, text: string): string {
  const [before, after, ...others] = text.split(replace);
  if (before === undefined || after === undefined || others.length > 0)
    throw new Error(`"${name}": ${file} must contain exactly once what it replaces`);
  return `${before}${by}${after}`;
}

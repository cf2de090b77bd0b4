import type { AuditChange, AuditValue } from "../../store/access/audit-log.ts";

type Given = AuditValue | readonly string[];
type Fields = Readonly<Record<string, Given | undefined>>;

/** These limit the size of an entry. */
const mostChanges = 100;
const longestText = 300;
const longestList = 20;

/**
 * Lists the fields whose values differ. An absent field has no value. Long values are cut.
 *
 * @param disguises how to show fields that contain secrets
 */
export function changesBetween(
  before: Fields,
  after: Fields,
  disguises: Readonly<Record<string, (secret: string) => string>> = {},
): AuditChange[] {
  const show = (field: string, value: Given) => {
    const disguise = disguises[field];
    return shortened(disguise && typeof value === "string" ? disguise(value) : value);
  };
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names]
    .map((field) => ({ field, from: before[field] ?? null, to: after[field] ?? null }))
    .filter(({ from, to }) => JSON.stringify(from) !== JSON.stringify(to))
    .slice(0, mostChanges)
    .map(({ field, from, to }) => ({ field: cut(field), from: show(field, from), to: show(field, to) }));
}

function shortened(value: Given): AuditValue {
  if (typeof value === "string") return cut(value);
  if (value === null || typeof value !== "object") return value;
  const rest = value.length - longestList;
  return [...value.slice(0, longestList).map(cut), ...(rest > 0 ? [`… and ${rest} more`] : [])];
}

function cut(text: string): string {
  return text.length <= longestText ? text : `${text.slice(0, longestText - 1).toWellFormed()}…`;
}

/**
 * The database contains a row that this store cannot have written. Such a row is never skipped, because a gap
 * in a log gives a wrong queue.
 */
export class CorruptRow extends Error {
  override readonly name = "CorruptRow";

  constructor(where: string, problem: string, options?: ErrorOptions) {
    super(`the database is damaged: ${where} ${problem}; restore a backup`, options);
  }
}

/**
 * Parses the object or list that a row stores as JSON text. `where` names the row for the error.
 *
 * @throws CorruptRow when the text is neither.
 */
export function parseStored<T extends object>(text: string, where: string): T {
  const value = parseJson(text, where);
  if (typeof value !== "object" || value === null) throw new CorruptRow(where, "is not an object");
  return value as T;
}

/** @throws CorruptRow when the text is not JSON. */
export function parseJson(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new CorruptRow(where, "is not JSON", { cause: error });
  }
}

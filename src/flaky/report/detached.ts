/**
 * Copies a text into a string of its own. A substring of a piece of the report keeps the whole piece in memory, so a report of
 * failures would be kept whole.
 */
export function detached<Text extends string | null>(text: Text): Text {
  return (text === null ? null : ` ${text}`.slice(1)) as Text;
}

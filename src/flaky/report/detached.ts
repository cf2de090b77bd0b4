/**
 * The same text as a string of its own. One that is cut from a piece of the report keeps all of that piece in memory, and a
 * report of failures would be kept whole.
 */
export function detached<Text extends string | null>(text: Text): Text {
  return (text === null ? null : ` ${text}`.slice(1)) as Text;
}

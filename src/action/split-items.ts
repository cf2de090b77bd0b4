/** A longer item is neither a path nor a target. */
const maxItem = 1024 * 1024;

/**
 * The items of a UTF-8 stream, in batches as they arrive. Empty items are left out.
 *
 * @throws Error when an item is longer than 1 MiB.
 */
export async function* splitItems(
  stream: AsyncIterable<Uint8Array>,
  separator: "\n" | "\0",
): AsyncGenerator<readonly string[]> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of stream) {
    const items = (rest + decoder.decode(chunk, { stream: true })).split(separator);
    rest = items.pop() ?? "";
    if (rest.length > maxItem) throw new Error("it printed an item of more than 1 MiB");
    const whole = items.filter((item) => item !== "");
    if (whole.length > 0) yield whole;
  }
  rest += decoder.decode();
  if (rest !== "") yield [rest];
}

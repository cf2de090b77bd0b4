/** Asks repeatedly until there is an answer that is not null: often at first, ten times a second later. */
export async function eventually<T>(
  ask: () => Promise<T | null>,
  what: string | (() => string),
  ms = 180_000,
): Promise<T> {
  const deadline = Date.now() + ms;
  for (let pauseMs = 20; ; pauseMs = Math.min(pauseMs * 1.2, 100)) {
    const answer = await ask();
    if (answer !== null) return answer;
    if (Date.now() > deadline)
      throw new Error(`waited ${ms} ms in vain for ${typeof what === "string" ? what : what()}`);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

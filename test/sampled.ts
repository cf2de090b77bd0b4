/** `npm test` plays a sample of what a file `*.sampled.test.ts` draws or lists; `npm run test:long`, or a path, plays all of it. */
const isSample = process.env.TRAINYARD_TESTS === "behaviour";

/** How many examples to draw: a tenth in a sample. */
export function draws(all: number): number {
  return isSample ? Math.ceil(all / 10) : all;
}

/** At most so many of the cases in a sample, evenly spread. */
export function sampleOf<T>(all: readonly T[], most: number): readonly T[] {
  if (!isSample || all.length <= most) return all;
  return Array.from({ length: most }, (_, index) => all[Math.floor((index * all.length) / most)] as T);
}

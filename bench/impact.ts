import type { Impact } from "./busy-queue.ts";

const targetsEach = 1_000;
const targetsPerArea = 4_000;
const lane = 4;

/**
 * Every pull request impacts a quarter of one area's targets. One in twenty also impacts targets of a second area. There is
 * one area for every four pull requests.
 */
export function clusteredImpact(length: number): Impact {
  const areas = length / lane;
  return (pr) => {
    const area = scatter(pr) % areas;
    const other = pr % 20 === 0 ? scatter(pr + length) % areas : area;
    return Array.from({ length: targetsEach }, (_, index) =>
      nameOf(index < targetsEach / 2 ? area : other, (scatter(pr) + 3 * index) % targetsPerArea),
    );
  };
}

/** The same, except that three of ten pull requests have one target in common. */
export function heavyImpact(length: number): Impact {
  const clustered = clusteredImpact(length);
  return (pr) => (scatter(pr) % 10 < 3 ? ["//base:base", ...clustered(pr).slice(1)] : clustered(pr));
}

function nameOf(area: number, target: number): string {
  return `//area-${area}/package-${target >> 4}:target-${target}`;
}

/** Returns a pseudo-random number, the same on each run. */
function scatter(number: number): number {
  return Math.imul(number, 0x9e3779b1) >>> 7;
}

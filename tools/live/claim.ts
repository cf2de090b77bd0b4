import type { Scene } from "./scene.ts";

/** What was seen, or is expected: compared as JSON, and shown as it is. */
export type Observation = string | boolean | number | null | { readonly [name: string]: Observation };

/** A permission of the App, as in its manifest. */
export type Need = `${string}: ${"read" | "write"}`;

/** One thing that Trainyard relies on, and that the sandbox does as GitHub does. */
export interface Claim {
  /** `topic/name`. */
  readonly id: string;
  /** A sentence. */
  readonly title: string;
  /** Where it comes from. `memory`: nobody has written it down. */
  readonly source: string;
  /** What it needs besides `contents: write`. */
  readonly needs?: readonly Need[];
  /** What the sandbox shows. */
  readonly expected: Observation;
  /** GitHub's documentation leaves it open: what GitHub shows is an answer, and no deviation. */
  readonly isQuestion?: true;
  /** Makes what it needs by `scene.scratch`, and nothing else. Throws `NotAsked` where it cannot be asked. */
  readonly observe: (scene: Scene) => Promise<Observation>;
}

/** Why a claim cannot be asked of this GitHub, this repository or this App. */
export class NotAsked extends Error {
  override readonly name = "NotAsked";
}

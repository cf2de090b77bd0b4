import type { Octokit } from "@octokit/rest";
import type { Repository } from "../../src/github/client/repository-api.ts";
import type { Scratch } from "./scratch.ts";

/** What was observed or is expected. Compared as JSON, and shown as it is. */
export type Observation = string | boolean | number | null | { readonly [name: string]: Observation };

/** A permission of the App, as in its manifest. */
type Need = `${string}: ${"read" | "write"}`;

/** One behaviour of GitHub that Trainyard relies on and that the sandbox reproduces. */
export interface Claim {
  /** Has the form `topic/name`. */
  readonly id: string;
  /** A sentence. */
  readonly title: string;
  /** The source. `memory`: no written source is known. */
  readonly source: string;
  /** Permissions that it needs besides `contents: write`. */
  readonly needs?: readonly Need[];
  /** The sandbox's behaviour. */
  readonly expected: Observation;
  /** Whether GitHub's documentation leaves it open, so that a different observation is an answer, not a deviation. */
  readonly isQuestion?: true;
  /** Creates objects with `scene.scratch` only. Throws `NotAsked` where the claim cannot be tested. */
  readonly observe: (scene: Scene) => Promise<Observation>;
}

/** Claims that need the same permissions, besides those that they name themselves. */
export const needing = (needs: readonly Need[], claims: readonly Claim[]): readonly Claim[] =>
  claims.map((claim) => ({ ...claim, needs: [...needs, ...(claim.needs ?? [])] }));

/** The reason why a claim cannot be tested on this GitHub, this repository or this App. */
export class NotAsked extends Error {
  override readonly name = "NotAsked";
}

/** The tools with which a claim observes GitHub. */
export interface Scene {
  /** The client of the App's installation. It caches no responses, and waits when GitHub's limits require it. */
  readonly github: Octokit;
  readonly at: Repository;
  readonly app: { readonly id: number; readonly slug: string };
  readonly scratch: Scratch;
  /** Creates a client whose token has only these permissions. */
  readonly narrow: (permissions: Readonly<Record<string, "read" | "write">>) => Promise<Octokit>;
  /** How long GitHub may take for asynchronous work, in milliseconds. */
  readonly patienceMs: number;
}

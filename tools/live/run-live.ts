import { isDeepStrictEqual } from "node:util";
import { GraphqlResponseError } from "@octokit/graphql";
import { CodeHostError, messageOf, toCodeHostError } from "../../src/github/client/code-host-error.ts";
import { type Claim, NotAsked, type Observation, type Scene } from "./claim.ts";
import { checkConsent, connect, type LiveCredentials } from "./connect.ts";

import { isDenied, lacksPlan } from "./observe.ts";
import { Pace } from "./pace.ts";

import { Scratch } from "./scratch.ts";

interface LiveOptions {
  readonly credentials: LiveCredentials;
  readonly repository: { readonly owner: string; readonly repo: string };
  readonly claims: readonly Claim[];
  /** Part of the names of everything that this run creates. Letters, digits and hyphens. */
  readonly run: string;
  /** Pause between requests that change something, in milliseconds. */
  readonly pauseMs: number;
  readonly patienceMs: number;
  /** Stops the run. The created objects are deleted nevertheless. */
  readonly stop: AbortSignal;
  readonly tell: (line: string) => void;
}

export type Outcome =
  | { readonly kind: "same" | "differs" | "answered"; readonly observed: Observation }
  | { readonly kind: "not_asked"; readonly why: string };

export interface LiveReport {
  readonly repository: string;
  readonly run: string;
  readonly claims: readonly { readonly claim: Claim; readonly outcome: Outcome }[];
  /** The objects that could not be deleted, with the reasons. */
  readonly left: readonly string[];
  /** The pull requests that stay, closed, because GitHub deletes none. */
  readonly pullRequests: readonly number[];
}

/**
 * Tests each claim in turn on GitHub.
 * @throws LiveRefusal before anything is created
 */
export async function runLive(options: LiveOptions): Promise<LiveReport> {
  const { repository: at, claims, run, patienceMs, stop, tell } = options;
  const pace = new Pace(options.pauseMs, stop, tell);
  const { github, app, permissions, narrow } = await connect(options.credentials, at, pace);
  await checkConsent(github, at);
  const scratch = new Scratch(github, at, run);
  const scene: Scene = { github, at, app, scratch, narrow, patienceMs };
  const left: string[] = [];
  const results: { claim: Claim; outcome: Outcome }[] = [];
  try {
    for (const claim of claims) {
      const outcome = await ask(claim, scene, permissions, stop);
      results.push({ claim, outcome });
      tell(`${results.length} of ${claims.length}  ${outcome.kind.replace("_", " ")}  ${claim.title}`);
    }
  } finally {
    pace.goOnAfterStop();
    tell(`Deleting what was created, all below ${scratch.prefix}.`);
    left.push(...(await scratch.removeAll()));
  }
  const name = `${at.owner}/${at.repo}`;
  return { repository: name, run, claims: results, left, pullRequests: scratch.pullRequests };
}

async function ask(
  claim: Claim,
  scene: Scene,
  permissions: Readonly<Record<string, string>>,
  stop: AbortSignal,
): Promise<Outcome> {
  if (stop.aborted) return { kind: "not_asked", why: "stopped" };
  const missing = ["contents: write", ...(claim.needs ?? [])].filter((need) => !isGranted(permissions, need));
  if (missing.length > 0) return { kind: "not_asked", why: `needs ${missing.join(", ")}` };
  try {
    const observed = mask(await claim.observe(scene), scene.scratch);
    const isSame = isDeepStrictEqual(observed, claim.expected);
    return { kind: claim.isQuestion ? "answered" : isSame ? "same" : "differs", observed };
  } catch (error) {
    if (stop.aborted) return { kind: "not_asked", why: "stopped" };
    const why = whyNotAsked(error);
    if (why !== null) return { kind: "not_asked", why };
    // A request that the claim needs has failed, which is also a deviation.
    return { kind: "differs", observed: scene.scratch.mask(`${nameOf(error)}: ${messageOf(error)}`) };
  }
}

function isGranted(permissions: Readonly<Record<string, string>>, need: string): boolean {
  const [name = "", access] = need.split(": ");
  return permissions[name] === access || permissions[name] === "write" || permissions[name] === "admin";
}

/** Returns why a claim could not be tested. Null = it was tested, and GitHub's response was not the expected one. */
function whyNotAsked(error: unknown): string | null {
  if (error instanceof NotAsked) return error.message;
  if (isDenied(error)) return `GitHub denies it: ${messageOf(error)}`;
  if (lacksPlan(error)) return "the repository's plan has no rulesets";
  if (error instanceof GraphqlResponseError) return null;
  const failure = toCodeHostError(error);
  const isPassing =
    failure instanceof CodeHostError && (failure.kind === "unavailable" || failure.kind === "rate_limited");
  return isPassing ? `GitHub did not answer: ${failure.message}` : null;
}

function mask(observed: Observation, scratch: Scratch): Observation {
  if (typeof observed === "string") return scratch.mask(observed);
  if (typeof observed !== "object" || observed === null) return observed;
  return Object.fromEntries(Object.entries(observed).map(([name, value]) => [name, mask(value, scratch)]));
}

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : "error");

import { beforeAll, expect, test } from "@jest/globals";
import type { NextFault } from "../../src/sandbox/faults/faults.ts";
import { Stage, type StageOptions } from "./stage.ts";

interface Scene {
  readonly options: StageOptions;
  /** What goes wrong, from the first command on. */
  readonly faults: readonly NextFault[];
  readonly play: (stage: Stage, pr: number) => Promise<void>;
}

/** Has a pull request merged, and waits for what people see in the end. */
async function merge(stage: Stage, pr: number): Promise<void> {
  await stage.comment(pr, "/trainyard merge");
  await stage.until(pr, "merged");
  await stage.untilCommented(pr, /\*\*Merged\*\*/);
  const { head } = await stage.pull(pr);
  await stage.untilChecked(head.sha, "success");
}

const building = ["repos/merge", "git/create-commit", "graphql/updateRefs", "git/create-ref"];
const deciding = ["repos/get-branch", "repos/get-branch-rules", "repos/get-content", "pulls/get"];
const merging = ["pulls/merge", "git/update-ref", "git/get-ref"];
const showing = ["issues/create-comment", "issues/update-comment", "checks/create", "checks/update"];
const passing = ["unauthorized", "forbidden", "not_found"] as const;

function scenesWith(mergeMethod: "squash" | "merge_commit"): [string, Scene][] {
  const options = { queue: { mergeMethod } };
  const broken = (["500", "reset", "cut"] as const).map((kind): [string, Scene] => {
    const side = kind === "cut" ? {} : { side: "after" as const };
    const name = `with ${mergeMethod}, a pull request whose stacking was answered by a ${kind} after the effect is not taken for empty`;
    return [name, { options, faults: [{ operation: "repos/merge", kind, ...side }], play: merge }];
  });
  const denied = passing.map((kind): [string, Scene] => {
    const operations = [...building, ...deciding, ...merging, ...showing];
    const name = `with ${mergeMethod}, an answer ${kind} that passes throws nobody out, wherever it comes`;
    return [name, { options, faults: operations.map((operation) => ({ operation, kind })), play: merge }];
  });
  return [...broken, ...denied];
}

const scenes: readonly [string, Scene][] = [
  ...scenesWith("squash"),
  ...scenesWith("merge_commit"),
  [
    "a command's reaction is made in the end, although GitHub fails at the first",
    {
      options: { queue: {} },
      faults: (["502", "forbidden"] as const).map((kind) => ({ operation: "graphql/addReaction", kind })),
      play: async (stage, pr) => {
        expect(await stage.untilReacted(await stage.comment(pr, "/trainyard help"))).toBe("+1");
      },
    },
  ],
  [
    "what GitHub shows becomes true although publishing is refused again and again",
    {
      options: { queue: {} },
      faults: showing.flatMap((operation) => passing.map((kind) => ({ operation, kind }))),
      play: merge,
    },
  ],
];

const ended = new Map<string, { injected: number; failure: unknown }>();

/** All at once: most of the time of each is pauses between tries. */
beforeAll(async () => {
  await Promise.all(scenes.map(([name, scene]) => playScene(name, scene)));
}, 300_000);

async function playScene(name: string, { options, faults, play }: Scene): Promise<void> {
  const stage = await Stage.open(options);
  try {
    const pr = await stage.openPullRequest("one");
    for (const fault of faults) stage.sandbox.faults.next(fault);
    await play(stage, pr);
    ended.set(name, { injected: stage.sandbox.faults.injected.length, failure: null });
  } catch (failure) {
    ended.set(name, { injected: stage.sandbox.faults.injected.length, failure });
  } finally {
    await stage.close();
  }
}

test.each(scenes)("%s", (name) => {
  const { injected = 0, failure } = ended.get(name) ?? {};
  if (failure) throw failure;
  expect(injected).toBeGreaterThan(0);
});

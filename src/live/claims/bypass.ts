import type { Claim } from "../claim.ts";
import { type BypassMode, bypassFor } from "../new-ruleset.ts";
import { untilMergeable } from "../observe.ts";
import type { Scene } from "../scene.ts";
import { missingCheck } from "../under-rules.ts";

/** The state of a pull request that lacks a required check, for an App that is freed. */
async function stateWith(scene: Scene, mode: BypassMode): Promise<string> {
  const { scratch, app } = scene;
  const base = await scratch.branch("ruled");
  await scratch.ruleset([base], { rules: [missingCheck], bypass_actors: bypassFor(app.id, mode) });
  return (await untilMergeable(scene, await scratch.pull({ base }))).mergeable_state;
}

/** Who may pass by rules. */
export const bypassClaims: readonly Claim[] = [
  {
    id: "rules/bypass-states",
    title: "What does mergeable_state say to an App with each bypass mode?",
    source: "open: akuity/kargo #6623",
    needs: ["administration: write", "pull_requests: write"],
    isQuestion: true,
    expected: { always: "clean", pull_request: "clean", exempt: "clean" },
    observe: async (scene) => ({
      always: await stateWith(scene, "always"),
      pull_request: await stateWith(scene, "pull_request"),
      exempt: await stateWith(scene, "exempt"),
    }),
  },
];

import type { Claim } from "../claim.ts";
import { type BypassMode, bypassFor } from "../new-ruleset.ts";
import { untilMergeable } from "../observe.ts";
import type { Scene } from "../scene.ts";

/** The state of a pull request that lacks a required check, for an App that is freed. */
async function stateWith(scene: Scene, mode: BypassMode): Promise<string> {
  const { scratch, app } = scene;
  const base = await scratch.branch("ruled");
  const required_status_checks = [{ context: "trainyard-live-never" }];
  const parameters = { required_status_checks, strict_required_status_checks_policy: false };
  await scratch.ruleset([base], {
    rules: [{ type: "required_status_checks", parameters }],
    bypass_actors: bypassFor(app.id, mode),
  });
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

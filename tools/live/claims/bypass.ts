import type { Claim } from "../claim.ts";
import { moveRefs } from "../move-refs.ts";
import { type BypassMode, bypassFor } from "../new-ruleset.ts";
import { answerOf, tipOf, untilMergeable } from "../observe.ts";
import type { Scene } from "../scene.ts";
import { missingCheck } from "../under-rules.ts";

/** Returns the state of a pull request that lacks a required check, as an App sees it that may bypass the rule. */
async function stateWith(scene: Scene, mode: BypassMode): Promise<string> {
  const { scratch, app } = scene;
  const base = await scratch.branch("ruled");
  await scratch.ruleset([base], { rules: [missingCheck], bypass_actors: bypassFor(app.id, mode) });
  return (await untilMergeable(scene, await scratch.pull({ base }))).mergeable_state;
}

/** Lists the ways in which an App that may bypass a restriction of updates can change the branch. */
async function waysWith(scene: Scene, mode: BypassMode): Promise<string> {
  const { github, at, scratch, app } = scene;
  const base = await scratch.branch("ruled");
  const rules = [{ type: "update" as const }];
  await scratch.ruleset([base], { rules, bypass_actors: bypassFor(app.id, mode) });
  const pull = await scratch.pull({ base });
  const next = async () =>
    scratch.commit((await tipOf(scene, base)) ?? "", { "next.txt": scratch.unique("file") });
  const updated = await answerOf(
    github.rest.git.updateRef({ ...at, ref: `heads/${base}`, sha: await next() }),
  );
  const moved = await moveRefs(scene, [{ branch: base, to: await next() }]);
  const merged = await answerOf(github.rest.repos.merge({ ...at, base, head: await next() }));
  // The base has moved, so GitHub computes the mergeability again.
  await untilMergeable(scene, pull);
  const pressed = await answerOf(github.rest.pulls.merge({ ...at, pull_number: pull.number }));
  const answers = {
    "PATCH ref": updated,
    updateRefs: moved,
    "POST merges": merged,
    "merge of a pull request": pressed,
  };
  const isDone = (answer: string) => /^(20\d|moved)$/.test(answer);
  return Object.entries(answers)
    .flatMap(([way, answer]) => (isDone(answer) ? [way] : []))
    .join(", ");
}

/** Claims about bypassing rules. */
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
  {
    id: "rules/bypass-ways",
    title: "In which ways may an App with each bypass mode change a branch whose updates are restricted?",
    source: "open: community #203926, #208718; dmf-mxl/mxl #356",
    needs: ["administration: write", "pull_requests: write"],
    isQuestion: true,
    expected: {
      always: "merge of a pull request",
      pull_request: "merge of a pull request",
      exempt: "PATCH ref, updateRefs, POST merges, merge of a pull request",
    },
    observe: async (scene) => ({
      always: await waysWith(scene, "always"),
      pull_request: await waysWith(scene, "pull_request"),
      exempt: await waysWith(scene, "exempt"),
    }),
  },
];

import { afterEach, expect, test } from "@jest/globals";
import { Stage } from "./stage.ts";
import { variants } from "./variants.ts";

let stage: Stage;

afterEach(() => stage.close());

test.each(variants(["merge", "cancel"]))(
  "/trainyard %s is answered in one line that names who turned commands off",
  async (verb) => {
    stage = await Stage.open({ queue: { requiredStatuses: ["never"] } });
    const pr = await stage.openPullRequest("one");
    await stage.client.submitPullRequest({ ...stage.queue, pr: { number: pr } });
    await stage.until(pr, "testing");
    await stage.client.updateQueue({ ...stage.queue, commandsEnabled: false });
    const comment = await stage.comment(pr, `/trainyard ${verb}`);
    await stage.untilCommented(
      pr,
      /@alice: Commands in comments are switched off for this queue by the API token "\w+" \(`commandsEnabled`\); use the label or the API\./,
    );
    expect(await stage.untilReacted(comment)).toBe("confused");
    expect(await stage.look(pr)).toMatchObject({ state: "testing" });
  },
);

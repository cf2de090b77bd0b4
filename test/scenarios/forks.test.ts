import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { Fork } from "../sandbox/fork.ts";
import { eventually } from "./eventually.ts";
import { Stage } from "./stage.ts";

let stage: Stage;

beforeEach(async () => {
  // Tests never end, because the required check is never reported.
  stage = await Stage.open({ requiredChecks: null, queue: { requiredStatuses: ["never"] } });
});

afterEach(() => stage.close());

const file = ".github/trainyard.yml";

async function mainSha(): Promise<string> {
  return (await stage.branch("main")).commit.sha;
}

/** Opens a pull request from a fork with one commit on main. Returns it and the command that names its head. */
async function openFork(...paths: string[]): Promise<{ pr: number; command: string }> {
  const fork = await Fork.of(stage.sandbox, "carol", stage.octokit("carol"));
  const sha = await fork.commit(await mainSha(), ...paths);
  const { pull } = await fork.openPull("topic", sha);
  await stage.untilHandled();
  return { pr: pull.number, command: `/trainyard merge ${sha}` };
}

async function refuses(pr: number, answer: RegExp): Promise<void> {
  await eventually(async () => {
    const queued = await stage.look(pr);
    if (queued) throw new Error(`#${pr} was queued at ${queued.prSha}`);
    const [comment = ""] = await stage.ourComments(pr);
    return answer.test(comment) ? comment : null;
  }, `a comment on #${pr} like ${answer}`);
}

describe("a fork needs an administrator to name its head when it changes", () => {
  test("a workflow, even behind more files than GitHub lists", async () => {
    const many = Array.from({ length: 3_000 }, (_, index) => `!/${index % 60}/${index}`);
    const { pr, command } = await openFork(...many, ".github/workflows/own.yml");
    await stage.comment(pr, command, "bob");
    await refuses(
      pr,
      /changes `\.github\/workflows`, .*name it with all digits in a comment: `\/trainyard merge [0-9a-f]{40}`.*\(`FORK_CHANGES_WORKFLOWS`\)/,
    );
    await stage.comment(pr, "/trainyard merge", "admin");
    await refuses(pr, /\(`FORK_NEEDS_SHA`\)/);
    await stage.comment(pr, command, "admin");
    await stage.until(pr, "testing");
  });

  test("a path that the repository's file names", async () => {
    await stage.pushToMain({
      [file]: "protectedPaths: [scripts/ci/, Makefile]\n",
      "scripts/ci/run.sh": "true\n",
    });
    await stage.untilHandled();
    const { pr, command } = await openFork("scripts/ci/run.sh");
    await stage.comment(pr, command, "bob");
    await refuses(pr, /changes `scripts\/ci`, .*\(`FORK_CHANGES_WORKFLOWS`\)/);
  });

  test("a workflow path that differs only in case", async () => {
    const { pr, command } = await openFork(".GitHub/workflows/ci.yml");
    await stage.comment(pr, command, "bob");
    await refuses(pr, /changes `\.GitHub\/workflows\/ci\.yml`, .*\(`FORK_CHANGES_WORKFLOWS`\)/);
  });
});

test("a fork needs no administrator when only the target branch has changed a workflow", async () => {
  const { pr, command } = await openFork("good.txt");
  await stage.pushToMain({ ".github/workflows/ci.yml": "on: push\n" });
  await stage.comment(pr, command, "bob");
  await stage.until(pr, "testing");
  expect(await stage.look(pr)).toMatchObject({ prSha: command.split(" ").at(-1) });
});

describe("an abbreviated SHA does not admit", () => {
  test("a fork's commit that has the same first digits as the reviewed one", async () => {
    const fork = await Fork.of(stage.sandbox, "carol", stage.octokit("carol"));
    const [reviewed, twin] = await fork.twins(await mainSha(), "good.txt", "evil.txt");
    const { pull } = await fork.openPull("topic", reviewed);
    await stage.untilHandled();
    await stage.stopService();
    await stage.comment(pull.number, `/trainyard merge ${reviewed.slice(0, 7)}`, "bob");
    await fork.push("topic", twin, true);
    await stage.startService();
    await refuses(
      pull.number,
      new RegExp(`comment: \`/trainyard merge ${twin}\`\\. \\(\`FORK_NEEDS_SHA\`\\)`),
    );
    await stage.comment(pull.number, `/trainyard merge ${twin}`, "bob");
    await stage.until(pull.number, "testing");
  });

  test("a commit of the repository if its branch had another one with the same first digits before", async () => {
    const fork = await Fork.of(stage.sandbox, "carol", stage.octokit("carol"));
    const [reviewed, twin] = await fork.twins(await mainSha(), "good.txt", "evil.txt");
    // GitHub fetches the commits of pull requests into the repository.
    await fork.openPull("one", reviewed);
    await fork.openPull("other", twin);
    const { git, pulls } = stage.octokit("alice").rest;
    const at = { owner: "acme", repo: "widgets" };
    await git.createRef({ ...at, ref: "refs/heads/good", sha: reviewed });
    const { data: pull } = await pulls.create({ ...at, title: "Good", head: "good", base: "main" });
    await git.updateRef({ ...at, ref: "heads/good", sha: twin, force: true });
    await stage.untilHandled();
    await stage.comment(pull.number, `/trainyard merge ${reviewed.slice(0, 7)}`);
    await refuses(
      pull.number,
      new RegExp(`comment: \`/trainyard merge ${twin}\`\\. \\(\`HEAD_NOT_PROVEN\`\\)`),
    );
    await stage.comment(pull.number, `/trainyard try ${reviewed.slice(0, 7)}`);
    await refuses(pull.number, new RegExp(`comment: \`/trainyard try ${twin}\``));
    await stage.comment(pull.number, `/trainyard merge ${twin}`, "bob");
    await stage.until(pull.number, "testing");
  });
});

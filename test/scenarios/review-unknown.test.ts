import { afterEach, beforeEach, expect, test } from "@jest/globals";
import type { FaultPlan } from "../../tools/sandbox/faults/fault-plan.ts";
import type { RuleOptions } from "../../tools/sandbox/world/rules/ruleset.ts";
import { eventually } from "./eventually.ts";
import { Gate } from "./gate.ts";
import { Stage } from "./stage.ts";
import { variants } from "./variants.ts";

let stage: Stage;
let gate: Gate;

beforeEach(() => {
  gate = new Gate();
});

afterEach(async () => {
  gate.open();
  await stage.close();
});

/** What the rules of a base demand of people. */
const demands = {
  approval: { type: "pull_request", required_approving_review_count: 1 },
  owner: { type: "pull_request", require_code_owner_review: true },
  conversation: { type: "pull_request", required_review_thread_resolution: true },
} as const satisfies Record<string, RuleOptions>;
const methods = variants(["merge_commit", "squash", "rebase"]);

type Demand = keyof typeof demands;
interface Case {
  readonly demand: Demand | "nothing";
  readonly base: string;
  readonly pr: number;
}

const refused = (rate: number): FaultPlan => ({
  rates: { "graphql/repository": rate },
  kinds: { query_errors: 1 },
});

/** Opens a pull request and a queue for each demand with each method, and one without a demand. The App may bypass all rules. */
async function open(): Promise<Case[]> {
  const build: RuleOptions = {
    type: "required_status_checks",
    required_status_checks: [{ context: "build" }],
    do_not_enforce_on_create: true,
  };
  stage = await Stage.open({
    requiredChecks: null,
    repository: {
      files: {
        "README.md": "# Widgets\n",
        "facts/base.json": "{}\n",
        ".github/CODEOWNERS": "facts/ @admin\n",
      },
    },
    rulesets: ({ app }) =>
      Object.entries({ ...demands, "*": build }).map(([name, rule]) => ({
        include: [`refs/heads/into-${name}-*`],
        rules: [rule],
        bypass: [app.slug, "role:admin"].map((actor) => ({ actor, mode: "exempt" })),
      })),
    ci: { branches: ["trainyard-merge/**"], pullRequests: false, lastStep: gate.lastStep },
    environment: { TRAINYARD_RECONCILE_MS: "200" },
  });
  const cases: Case[] = [];
  for (const demand of [...(Object.keys(demands) as Demand[]), "nothing"] as const) {
    for (const mergeMethod of demand === "nothing" ? (["squash"] as const) : methods) {
      const base = `into-${demand}-${mergeMethod}`;
      await createBase(base);
      const head = { by: "alice", base, from: base, settle: false };
      const pr = await stage.openPullRequest(`${demand}-${mergeMethod}`, undefined, head);
      await stage.client.createQueue({ ...stage.queue, targetBranch: base, mergeMethod });
      cases.push({ demand, base, pr });
    }
  }
  await stage.untilHandled();
  return cases;
}

async function createBase(name: string): Promise<void> {
  const at = { owner: "acme", repo: "widgets" };
  const { git } = stage.octokit("admin").rest;
  const { data } = await git.getRef({ ...at, ref: "heads/main" });
  await git.createRef({ ...at, ref: `refs/heads/${name}`, sha: data.object.sha });
}

async function satisfy({ demand, pr }: Case): Promise<void> {
  if (demand === "conversation") await stage.resolveConversations(pr);
  else await stage.review(pr, "APPROVE", { by: demand === "owner" ? "admin" : "bob" });
}

/** Makes the rules of the base object to the pull request. */
async function contradict({ demand, pr }: Case, review: number | null = null): Promise<void> {
  if (demand === "conversation") await stage.review(pr, "COMMENT", { comments: ["Why?"] });
  else if (review !== null) await stage.dismiss(pr, review);
}

const submit = ({ base, pr }: Case) =>
  stage.client.submitPullRequest({ ...stage.queue, targetBranch: base, pr: { number: pr } });
const look = ({ base, pr }: Case) =>
  stage.client.getSubmittedPullRequest({ ...stage.queue, targetBranch: base, pr: { number: pr } });

async function untilMerged(one: Case): Promise<void> {
  let last = "";
  await eventually(
    async () => {
      const { state, reason, why } = await look(one);
      last = JSON.stringify({ state, reason, why });
      return state === "merged" ? true : null;
    },
    () => `#${one.pr} into ${one.base} to be merged: ${last}`,
  );
}

/** Waits until the pull request says what it lacks, or that GitHub does not tell. Fails when it merged. */
async function untilHeld(one: Case, ...texts: RegExp[]): Promise<string> {
  let last = "";
  return eventually(
    async () => {
      const { state, reason, why } = await look(one);
      last = JSON.stringify({ state, reason, why });
      if (state === "merged") throw new Error(`#${one.pr} merged into ${one.base}`);
      return why.find(({ text }) => texts.some((known) => known.test(text)))?.code ?? null;
    },
    () => `#${one.pr} into ${one.base} to be held: ${last}`,
  );
}

const lacking = [/a review is required/, /GitHub does not say whether/, /1 conversation is unresolved/];

async function mergedOf(cases: readonly Case[]): Promise<string[]> {
  const looked = await Promise.all(cases.map(async (one) => ({ ...one, ...(await look(one)) })));
  return looked.filter(({ state }) => state === "merged").map(({ base }) => base);
}

test.each(variants([1, 0.5]))(
  "while GraphQL refuses %d of the queries, nothing merges without what the rules demand of people",
  async (rate) => {
    const cases = await open();
    const demanding = cases.filter(({ demand }) => demand !== "nothing");
    for (const one of demanding) await contradict(one);
    stage.sandbox.faults.use(refused(rate));
    gate.open();
    // One after the other, so that each is read by a query of its own.
    for (const one of cases) await submit(one);
    for (const one of cases.filter(({ demand }) => demand === "nothing")) await untilMerged(one);
    for (const one of demanding) await untilHeld(one, ...lacking);
    expect(await mergedOf(demanding)).toEqual([]);
    for (const one of demanding) await satisfy(one);
    // REST shows which approvals there are, but neither code owners nor conversations.
    for (const one of demanding) if (one.demand === "approval") await untilMerged(one);
    if (rate === 1) {
      const others = demanding.filter(({ demand }) => demand !== "approval");
      for (const one of others)
        expect(await untilHeld(one, /GitHub does not say whether/)).toBe("REVIEW_UNKNOWN");
      stage.sandbox.faults.use(null);
    }
    for (const one of demanding) await untilMerged(one);
  },
);

test("a pull request that loses what the rules demand during its tests keeps its place while GraphQL refuses, and merges afterwards", async () => {
  const cases = await open();
  const demanding = cases.filter(({ demand }) => demand !== "nothing");
  const reviews = new Map<Case, number>();
  for (const one of demanding) {
    if (one.demand === "conversation") continue;
    reviews.set(one, await stage.review(one.pr, "APPROVE", { by: one.demand === "owner" ? "admin" : "bob" }));
  }
  await Promise.all(cases.map(submit));
  for (const one of cases)
    await eventually(
      async () => ((await look(one)).state === "testing" ? true : null),
      `#${one.pr} in testing`,
    );
  stage.sandbox.faults.use(refused(1));
  for (const one of demanding) await contradict(one, reviews.get(one));
  gate.open();
  for (const one of cases.filter(({ demand }) => demand === "nothing")) await untilMerged(one);
  for (const one of demanding) {
    const code = await untilHeld(one, ...lacking);
    if (one.demand !== "approval") expect([one.base, code]).toEqual([one.base, "REVIEW_UNKNOWN"]);
  }
  expect(await mergedOf(demanding)).toEqual([]);
  for (const one of demanding) await satisfy(one);
  stage.sandbox.faults.use(null);
  for (const one of demanding) await untilMerged(one);
});

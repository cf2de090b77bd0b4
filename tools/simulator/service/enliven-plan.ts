import { createRandomSource, type RandomSource } from "../../../src/replay/workload/random-source.ts";
import { drawSurprises } from "./draw-surprises.ts";
import { drawNextQueue } from "./draw-withdrawals.ts";
import {
  mishaps,
  objectionCodes,
  type PlannedObjection,
  type PlannedPullRequest,
  type ServicePlan,
  type Withdrawal,
  withdrawals,
} from "./service-plan.ts";
import { drawCommands, drawTries } from "./virtual-maintainer.ts";

const minuteMs = 60_000;
/** The longest time after which people change their minds at once. Webhooks take as long. */
const hesitationMs = 20_000;
const mostClockErrorMs = 50_000;
/** A queue starts about this many tests in a life. */
const mostTests = 12;

/**
 * Lets people use comments, the label or auto-merge in most of the lives. In half of the lives, drawn independently, they also give
 * commands, come back and set back the base, and tests fail without cause.
 */
export function enlivenPlan(drawn: ServicePlan): ServicePlan {
  const plan = drawSurprises(drawNextQueue(withPeople(drawn)));
  return { ...plan, objections: drawObjections(plan), clockErrorMs: drawClockError(plan) };
}

function withPeople(drawn: ServicePlan): ServicePlan {
  const { seed, pullRequests } = drawn;
  const by = drawWay(seed);
  const settings = by === "auto_merge" ? { ...drawn.settings, submitByAutoMerge: true } : drawn.settings;
  const tries = drawTries(createRandomSource(seed * 67_867_967 + 13), pullRequests);
  const plan = { ...drawn, by, settings, commands: tries };
  const commanding = createRandomSource(seed * 15_485_863 + 5);
  if (commanding() >= 0.5) return plan;
  const commands = [...tries, ...drawCommands(commanding, pullRequests)];
  const random = createRandomSource(seed * 32_452_843 + 7);
  return {
    ...plan,
    commands,
    pullRequests: pullRequests.map((pr) => drawWithdrawal(random, pr)),
    rewinds: random() < 0.2 ? [Math.round(random() * 11 * minuteMs)] : [],
    ...(retests({ ...plan, commands }) ? drawTrouble(seed, random) : {}),
  };
}

function drawWay(seed: number): ServicePlan["by"] {
  const random = createRandomSource(seed * 49_979_687 + 11);
  if (random() >= 0.5) return createRandomSource(seed * 86_028_121 + 17)() < 0.3 ? "auto_merge" : "api";
  return random() < 0.6 ? "comment" : "label";
}

/**
 * Reviewers object to some pull requests in a third of the lives, for less time than an entry keeps its place. A push meanwhile would not
 * withdraw the pull request.
 */
function drawObjections({ seed, pullRequests }: ServicePlan): PlannedObjection[] {
  const random = createRandomSource(seed * 179_424_673 + 23);
  if (random() >= 0.33) return [];
  return pullRequests.flatMap(({ number: pr, submittedAt, withdrawn }) => {
    const code = objectionCodes[Math.floor(random() * objectionCodes.length)] as PlannedObjection["code"];
    const at = submittedAt + Math.round((random() - 0.2) * 4 * minuteMs);
    const ms = Math.round(random() * 3 * minuteMs);
    return random() < 0.4 && withdrawn?.by !== "push" ? [{ pr, code, at: Math.max(0, at), ms }] : [];
  });
}

/** The clocks of the services are wrong in a third of the lives, by less than the doctor calls an error. */
function drawClockError({ seed }: ServicePlan): number {
  const random = createRandomSource(seed * 236_887_691 + 76);
  return random() < 0.33 ? Math.round((random() - 0.5) * 2 * mostClockErrorMs) : 0;
}

/** CI loses one test, or tests fail without cause: not both, because that would be two failures. */
function drawTrouble(seed: number, random: RandomSource): Partial<ServicePlan> {
  const losing = createRandomSource(seed * 141_650_939 + 19);
  if (losing() < 0.6) return drawFailures(random);
  const kind = mishaps[Math.floor(losing() * mishaps.length)] as (typeof mishaps)[number];
  return { mishap: { test: 1 + Math.floor(losing() * mostTests), kind } };
}

/** A test that fails without cause, or minutes in which every test fails. */
function drawFailures(random: RandomSource): Partial<ServicePlan> {
  if (random() < 0.5) return { flake: 1 + Math.floor(random() * mostTests) };
  const outage = { at: Math.round(random() * 9 * minuteMs), ms: Math.round(random() * 4 * minuteMs) };
  return { outage };
}

/** Whether its policy always tests a pull request again before it blames it. */
function retests({ settings, commands }: Pick<ServicePlan, "settings" | "commands">): boolean {
  const later = commands.flatMap((one) => (one.kind === "reconfigure" ? [one.settings] : []));
  return [settings, ...later].every(({ policy }) => policy === "adaptive");
}

/** Lets a pull request that is withdrawn be withdrawn in any way, often at once, and maybe come back. */
function drawWithdrawal(random: RandomSource, pr: PlannedPullRequest): PlannedPullRequest {
  if (!pr.withdrawn) return pr;
  const at = random() < 0.4 ? pr.submittedAt + 1_000 + Math.round(random() * hesitationMs) : pr.withdrawn.at;
  const by = withdrawals[Math.floor(random() * withdrawals.length)] as Withdrawal;
  const backAt = random() < 0.5 ? at + Math.round(random() * minuteMs) : null;
  return { ...pr, withdrawn: { at, by, backAt }, ends: backAt === null ? "cancelled" : "merged" };
}

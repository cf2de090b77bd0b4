import type { CheckFact } from "../../../src/engine/model/checks/required-checks.ts";
import { createRandomSource } from "../../../src/replay/workload/random-source.ts";
import { createService, type Service } from "../../../src/service/create-service.ts";
import { hintOf } from "../../../src/service/observation/check-watcher.ts";
import { SoleReplica } from "../../../src/service/replicas/replicas.ts";
import type { ServiceSettings } from "../../../src/service/service-parts.ts";
import { openStore } from "../../../src/store/sqlite/open-store.ts";
import { CodeHost } from "../soak/code-host.ts";
import { judgeService } from "./judge-service.ts";
import { Past } from "./past.ts";
import type { ServicePlan } from "./service-plan.ts";
import { failTransactions } from "./store-faults.ts";
import { branch, repository } from "./unchanging-code-host.ts";
import { act, alice, queue } from "./virtual-author.ts";
import { VirtualCalls } from "./virtual-calls.ts";
import { VirtualCi } from "./virtual-ci.ts";
import { VirtualCodeHost } from "./virtual-code-host.ts";
import { VirtualTime } from "./virtual-time.ts";

const dayMs = 86_400_000;
const startsAt = Date.UTC(2026, 0, 5, 9);
/** How long everything may take once nothing goes wrong any more. */
const patienceMs = 6 * 3_600_000;
/** The longest wait for a webhook. */
const webhookMs = 20_000;
const silent = { debug() {}, info() {}, warn() {}, error() {} };

export interface ServiceOutcome {
  readonly seed: number;
  readonly violations: readonly string[];
  /** Virtual time, in milliseconds. */
  readonly tookMs: number;
  readonly events: number;
}

/** Lives one life of a service in virtual time, and judges its end by the truth. */
export async function playService(plan: ServicePlan, log: typeof silent = silent): Promise<ServiceOutcome> {
  const time = new VirtualTime(startsAt);
  const random = createRandomSource(plan.seed * 104_729 + 3);
  const isCalm = () => time.now() >= startsAt + plan.calmFrom;
  const restore = time.install();
  const mend = failTransactions(() => hasBegun && !isCalm() && random() < plan.storeFaults);
  let hasBegun = false;
  try {
    return await play(plan, time, log, () => {
      hasBegun = true;
    });
  } finally {
    mend();
    restore();
  }
}

async function play(
  plan: ServicePlan,
  time: VirtualTime,
  log: typeof silent,
  onStored: () => void,
): Promise<ServiceOutcome> {
  const random = createRandomSource(plan.seed * 7_919 + 1);
  const model = new CodeHost(plan.scenario);
  for (const { number, reworked } of plan.pullRequests) if (reworked) model.change(number, { draft: true });
  const calls = new VirtualCalls(time, random, plan.faults);
  const past = new Past();
  let lostWebhooks = plan.lostWebhooks;
  let service: Service | null = null;
  const hear = (tell: (service: Service) => Promise<unknown>) => {
    if (random() < lostWebhooks) return;
    time.after(random() * webhookMs, () => {
      // A webhook that fails is like one that is lost.
      if (service) tell(service).catch(() => {});
    });
  };
  const onEnd = (sha: string, check: CheckFact) => {
    const hint = hintOf(repository, sha, check);
    if (hint) hear(({ watcher }) => watcher.hint(hint));
  };
  const ci = new VirtualCi({ time, model, random, past, onEnd });
  const host = new VirtualCodeHost({ model, ci, calls, past, now: time.now });
  const store = await openStore(":memory:");
  onStored();
  let ids = 0;
  /** Resolves when the current service dies. */
  let death = Promise.withResolvers<false>();

  async function start(): Promise<void> {
    const born = createService({
      stores: store,
      host: { name: repository.host, api: host, usage: { usage: () => [] } },
      poster: {
        objection: () => null,
        refusedPort: () => null,
        post: async () => ({ kind: "failed", error: "" }),
      },
      readKept: () => Promise.reject(new Error("there are no reports")),
      clock: time,
      ids: { next: () => `00000000-0000-4000-8000-${String(++ids).padStart(12, "0")}` },
      log,
      replicas: new SoleReplica(),
      settings,
    });
    try {
      await born.start();
      service = born;
    } catch {
      // A process that cannot start ends, and is started again.
      calls.die();
      time.dropTimersOfService();
      time.after(5_000, () => void start());
    }
  }

  function kill(): void {
    if (!service) return;
    calls.die();
    time.dropTimersOfService();
    service = null;
    death.resolve(false);
    death = Promise.withResolvers<false>();
    time.after(500 + random() * 20_000, () => void start());
  }

  /** Repeats a command until the service carries it out, as a person does. */
  async function insist(command: (service: Service) => Promise<{ ok: boolean }>): Promise<void> {
    // The database may fail.
    const carryOut = (asked: Service) =>
      command(asked).then(
        ({ ok }) => ok,
        () => false,
      );
    for (;;) {
      const asked = service;
      const done = asked ? await Promise.race([carryOut(asked), death.promise]) : false;
      if (done) return;
      await time.pause(5_000);
    }
  }

  await start();
  for (const at of plan.kills) time.after(at, kill);
  for (const at of plan.pushes)
    time.after(at, () => {
      model.moveBase();
      host.baseMoved();
      const push = { repo: repository, branch, sha: model.tip, forced: false };
      hear(({ relay }) => relay.branchPushed(push));
    });
  time.after(plan.calmFrom, () => {
    calls.faults = 0;
    lostWebhooks = 0;
  });
  const uploads = plan.settings.mode === "parallel";
  const parts = { time, model, host, uploads, hear, insist };
  let areDone = false;
  void insist((asked) =>
    asked.queues
      .createQueue({ ...queue, settings: plan.settings, actor: alice })
      // An earlier call may have created it without an answer.
      .then((created) => ({ ok: created.ok || created.refusal.code === "QUEUE_EXISTS" })),
  )
    .then(() => Promise.all(plan.pullRequests.map((pr) => act(pr, parts))))
    .then(() => {
      areDone = true;
    });

  const judge = async (): Promise<readonly string[]> => {
    if (!areDone || !service || time.now() < startsAt + plan.calmFrom) return ["not everything was done"];
    return await judgeService({ plan, model, host, queues: service.queues, queue, outbox: store.outbox });
  };
  let found = await judge();
  const end = startsAt + plan.calmFrom + patienceMs;
  while (found.length > 0 && time.now() < end) {
    const until = time.now() + 60_000;
    time.after(60_000, () => {});
    await time.runUntil(() => time.now() >= until, until);
    found = await judge();
  }
  const events = (await store.tableSizes.estimate()).get("events") ?? 0;
  calls.die();
  time.dropTimersOfService();
  await store.close();
  return { seed: plan.seed, violations: found, tookMs: time.now() - startsAt, events };
}

const settings: ServiceSettings = {
  branches: { test: "trainyard-merge/", scratch: "trainyard-scratch/" },
  doctor: { wanted: { permissions: {}, events: [] }, webhookUrl: null },
  commandPrefix: "/trainyard",
  submitLabel: "trainyard:merge",
  appPermissions: {},
  pace: { publishMs: 2_000, mergeabilityMs: 1_000 },
  leaseMs: 15_000,
  reconcileMs: 30_000,
  auditMs: 400 * dayMs,
  historyMs: 400 * dayMs,
  testRetentionMs: 45 * dayMs,
  queueUrl: () => null,
  testAddresses: { test: () => "", repository: () => "" },
  encryptionKeys: [],
  process: "simulated",
  webhookRetentionMs: 7 * dayMs,
};

import type { CheckFact } from "../../../src/engine/model/checks/required-checks.ts";
import type { Service } from "../../../src/service/create-service.ts";
import { hintOf } from "../../../src/service/observation/check-watcher.ts";
import { CodeHost } from "../soak/code-host.ts";
import type { Boundaries } from "./boundaries.ts";
import { guardedCodeHost } from "./guarded-code-host.ts";
import { Past } from "./past.ts";
import { type ServicePlan, startsAt } from "./service-plan.ts";
import { VirtualCalls } from "./virtual-calls.ts";
import { VirtualCi } from "./virtual-ci.ts";
import { VirtualCodeHost } from "./virtual-code-host.ts";
import { branch, type Upheaval, VirtualRepository } from "./virtual-repository.ts";
import type { VirtualTime } from "./virtual-time.ts";

/** The longest wait for a webhook. */
const webhookMs = 20_000;

export type Tell = (service: Service) => Promise<unknown>;

interface WorldParts {
  readonly plan: ServicePlan;
  readonly time: VirtualTime;
  readonly random: () => number;
  readonly boundaries: Boundaries;
  /** Delivers a webhook to one of the services. */
  readonly deliver: (tell: Tell) => Promise<unknown>;
}

/** The code host and the CI, what happens there, and the webhooks about it, which come late or get lost. */
export class VirtualWorld {
  readonly model: CodeHost;
  readonly host: VirtualCodeHost;
  /** The code host as the App reaches it. */
  readonly reached: VirtualCodeHost;
  readonly repository = new VirtualRepository();
  readonly #calls: VirtualCalls;
  readonly #parts: WorldParts;
  #lostWebhooks: number;

  constructor(parts: WorldParts) {
    const { plan, time, random, boundaries } = parts;
    const { repository } = this;
    const model = new CodeHost(plan.scenario);
    for (const { number, reworked } of plan.pullRequests) if (reworked) model.change(number, { draft: true });
    const calls = new VirtualCalls(time, random, boundaries, plan.faults);
    const past = new Past();
    const onEnd = (sha: string, check: CheckFact) => this.#checkEnded(sha, check);
    const { flake, outage: out } = plan;
    const outage = out && { from: startsAt + out.at, to: startsAt + out.at + out.ms };
    const ci = new VirtualCi({ time, model, random, flake, outage, past, onEnd });
    this.model = model;
    this.host = new VirtualCodeHost({ model, ci, calls, past, repository, now: time.now });
    this.reached = guardedCodeHost(this.host, repository, calls);
    this.#calls = calls;
    this.#parts = parts;
    this.#lostWebhooks = plan.lostWebhooks;
  }

  /** From now on, no call goes wrong and no webhook is lost. */
  calm(): void {
    this.#calls.faults = 0;
    this.#lostWebhooks = 0;
  }

  pushToBase(): void {
    this.model.moveBase();
    this.#tellPush(false);
  }

  /** Sets the base back to its first commit. */
  rewindBase(): void {
    this.model.rewind(0);
    this.#tellPush(true);
  }

  #tellPush(forced: boolean): void {
    this.host.baseMoved();
    const push = { repo: this.repository.ref, branch, sha: this.model.tip, forced };
    this.hear(({ relay }) => relay.branchPushed(push));
  }

  /** @param longestMs the longest wait for the webhook */
  begin(kind: Upheaval, longestMs = webhookMs): void {
    this.repository.begin(kind);
    this.#tellOf(kind, longestMs);
  }

  end(kind: Upheaval): void {
    this.repository.end(kind);
    this.#tellOf(kind, webhookMs);
  }

  /** Tells of something in the repository, if the code host does. */
  hear(tell: Tell): void {
    if (!this.repository.isHeard) return;
    const { seen } = this.repository;
    const recognised: Tell = async (service) => {
      await service.reach.recognise(seen);
      await tell(service);
    };
    this.#send(recognised, webhookMs);
  }

  #tellOf(kind: Upheaval, longestMs: number): void {
    const told = this.repository.toldOf(kind);
    this.#send(({ reach }) => reach.hear(told), longestMs);
  }

  #checkEnded(sha: string, check: CheckFact): void {
    const hint = hintOf(this.repository.ref, sha, check);
    if (hint) this.hear(({ watcher }) => watcher.hint(hint));
  }

  #send(tell: Tell, longestMs: number): void {
    const { time, random, deliver } = this.#parts;
    if (random() < this.#lostWebhooks) return;
    time.after(random() * longestMs, () => {
      // A webhook that fails is like one that is lost.
      deliver(tell).catch(() => {});
    });
  }
}

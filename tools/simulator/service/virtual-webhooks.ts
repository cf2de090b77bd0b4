import type { CheckFact } from "../../../src/engine/model/checks/required-checks.ts";
import type { PullRequestFacts } from "../../../src/engine/model/entry.ts";
import type { ServicePlan } from "./service-plan.ts";
import { alice, aliceId, type PersonsComment } from "./virtual-pull-requests.ts";
import { branch, repositoryId, type Upheaval, type VirtualRepository } from "./virtual-repository.ts";
import type { VirtualWebhook } from "./virtual-server.ts";
import type { VirtualTime } from "./virtual-time.ts";

/** The longest wait for a webhook. */
const longestMs = 20_000;
/** The longest delay of a late webhook. */
const latestMs = 10 * 60_000;
/** The share of webhooks that are sent twice. */
const repeated = 0.03;

interface VirtualWebhooksParts {
  readonly time: VirtualTime;
  readonly random: () => number;
  /** The prefix of their ids. */
  readonly prefix: string;
  readonly repository: VirtualRepository;
  /** The shares of webhooks that are lost, and that come minutes late. */
  readonly plan: Pick<ServicePlan, "lostWebhooks" | "lateWebhooks">;
  /** Draws which webhooks come late. */
  readonly drawLate: () => number;
  /** Delivers a webhook to one of the services. */
  readonly deliver: (webhook: VirtualWebhook) => Promise<unknown>;
}

const sender = { login: alice.name, id: aliceId, type: "User" };
const text = (ms: number) => new Date(ms).toISOString();

/** Sends webhooks in the code host's form. They come late, in any order, twice or not at all. */
export class VirtualWebhooks {
  readonly #parts: VirtualWebhooksParts;
  #ids = 0;
  /** From then on, none is lost or late. */
  isCalm = false;

  constructor(parts: VirtualWebhooksParts) {
    this.#parts = parts;
  }

  commented({ id, nodeId, pr, body, at }: PersonsComment): void {
    const comment = { id, node_id: nodeId, body, created_at: text(at), updated_at: text(at), user: sender };
    const issue = { number: pr, pull_request: {}, labels: [] };
    this.#tell("issue_comment", { action: "created", issue, comment, sender });
  }

  pullRequestChanged(
    action: string,
    facts: PullRequestFacts,
    labels: readonly string[],
    more: object = {},
  ): void {
    this.#tellOf("pull_request", action, facts, labels, more);
  }

  /** A review was given or dismissed, or a conversation changed. */
  reviewed(facts: PullRequestFacts, labels: readonly string[], review: object | null = null): void {
    this.#tellOf("pull_request_review", "submitted", facts, labels, { review });
  }

  #tellOf(
    event: "pull_request" | "pull_request_review",
    action: string,
    facts: PullRequestFacts,
    labels: readonly string[],
    more: object = {},
  ): void {
    const { number, title, draft, headSha, baseBranch, state } = facts;
    const pull = {
      ...{ number, title, draft, state: state === "open" ? "open" : "closed" },
      updated_at: text(facts.updatedAt ?? 0),
      ...{ head: { ref: `change-${number}`, sha: headSha }, base: { ref: baseBranch } },
      labels: labels.map((name) => ({ name })),
    };
    this.#tell(event, { action, pull_request: pull, sender, ...more });
  }

  branchDeleted(name: string): void {
    const after = "0".repeat(40);
    this.#tell("push", { ref: `refs/heads/${name}`, after, deleted: true, forced: false, commits: [] });
  }

  /** @param modified paths of changed files; only those that the service reads are given */
  pushed(base: string, sha: string, forced: boolean, modified: readonly string[] = []): void {
    const commits = modified.length > 0 ? [{ added: [], modified, removed: [] }] : [];
    this.#tell("push", { ref: `refs/heads/${base}`, after: sha, deleted: false, forced, commits });
  }

  ruleChanged(): void {
    this.#tell("repository_ruleset", { action: "edited" });
  }

  checkEnded(sha: string, { id, name, appId, suiteId, status, conclusion, url }: CheckFact): void {
    const app = appId === null ? null : { id: appId };
    const suite = suiteId === null ? null : { id: suiteId };
    const run = { id, name, head_sha: sha, status, conclusion, html_url: url, app, check_suite: suite };
    this.#tell("check_run", { action: "completed", check_run: run });
  }

  /** @param withinMs the longest wait */
  upheaval(kind: Exclude<Upheaval, "rename_branch">, phase: "begin" | "end", withinMs = longestMs): void {
    const [name, begun, ended] = upheavalEvents[kind];
    const { owner, installationId } = this.#parts.repository.seen;
    const installation = { id: installationId, account: { login: owner } };
    const isOfApp = name !== "repository";
    const action = phase === "begin" ? begun : ended;
    this.#send(name, { action, ...(isOfApp ? {} : this.#place()), installation }, withinMs);
  }

  /** Sends a webhook about the repository, if the code host sends any. */
  #tell(name: string, payload: object): void {
    if (this.#parts.repository.isHeard) this.#send(name, { ...payload, ...this.#place() }, longestMs);
  }

  #place() {
    const { repository } = this.#parts;
    const { owner, name, installationId } = repository.seen;
    const full = { id: repositoryId, name, full_name: `${owner}/${name}`, owner: { login: owner } };
    return {
      repository: { ...full, default_branch: repository.nameOf(branch) },
      installation: { id: installationId },
    };
  }

  #send(name: string, payload: object, usuallyWithinMs: number): void {
    const { time, random, prefix, deliver, drawLate, plan } = this.#parts;
    const isLate = drawLate() < plan.lateWebhooks && !this.isCalm;
    const withinMs = isLate ? latestMs : usuallyWithinMs;
    this.#ids += 1;
    const webhook = { id: `${prefix}-${this.#ids}`, name, payload };
    if (random() < plan.lostWebhooks && !this.isCalm) return;
    for (let times = random() < repeated ? 2 : 1; times > 0; times--)
      time.after(random() * withinMs, () => {
        // A failed delivery is like a lost webhook.
        deliver(webhook).catch(() => {});
      });
  }
}

/** The event's name, and its actions when the upheaval begins and when it ends. */
const upheavalEvents: Readonly<
  Record<Exclude<Upheaval, "rename_branch">, readonly [string, string, string]>
> = {
  rename: ["repository", "renamed", "renamed"],
  transfer: ["repository", "transferred", "transferred"],
  archive: ["repository", "archived", "unarchived"],
  suspend: ["installation", "suspend", "unsuspend"],
  uninstall: ["installation", "deleted", "created"],
  hide: ["installation_repositories", "removed", "added"],
};

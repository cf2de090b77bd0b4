import { setTimeout as sleep } from "node:timers/promises";
import { Octokit } from "@octokit/rest";
import { ApiError, type RequestOf, type TrainyardClient } from "../../../src/client/client.ts";
import type { LocalRepository } from "../local-repository.ts";
import type { Act, DemoPullRequest } from "./scenario.ts";

/** The fields of a queue entry that people in the demo look at. */
interface QueuedPullRequest {
  readonly state: string;
  readonly stateChangedAt: string;
  readonly isCurrentlySubmittedToQueue: boolean;
  readonly readiness: { readonly gitHubMergeability: string };
}

/** A simulated person: a GitHub client and a clone. */
export interface Person {
  readonly login: string;
  readonly octokit: Octokit;
  readonly local: LocalRepository;
}

export interface OpenedPullRequest {
  readonly number: number;
  readonly plan: DemoPullRequest;
  /** Its head SHAs at the times when its author asked to merge it. */
  readonly admitted: Set<string>;
  /** When its author withdrew it, by a cancel command or a push. */
  withdrawnAt: number | null;
  /** When its previous queue entry ended, by the service's clock, which may jump; null = its author has asked to merge it only once. */
  endedBefore: string | null;
}

/** Whether the queue has finished the author's last merge request. */
export function hasEnded(
  { endedBefore }: OpenedPullRequest,
  {
    isCurrentlySubmittedToQueue,
    stateChangedAt,
  }: Pick<QueuedPullRequest, "isCurrentlySubmittedToQueue" | "stateChangedAt">,
): boolean {
  return !isCurrentlySubmittedToQueue && stateChangedAt !== endedBefore;
}

export interface Repository {
  readonly owner: string;
  readonly name: string;
}

export function createOctokit(url: string, token: string): Octokit {
  const silent = () => {};
  return new Octokit({
    baseUrl: `${url}/api/v3`,
    auth: token,
    log: { debug: silent, info: silent, warn: silent, error: silent },
  });
}

/** Pushes the branches of a person's pull requests and opens the pull requests. Calls `onPrepared` after each commit. */
export async function openPullRequests(
  { local, octokit, login }: Person,
  { owner, name }: Repository,
  plans: readonly DemoPullRequest[],
  onPrepared: () => void = () => {},
): Promise<OpenedPullRequest[]> {
  const own = plans.filter((plan) => plan.author === login);
  for (const plan of own) {
    await local.branch(plan.name, "origin/main", plan.files, plan.title);
    onPrepared();
  }
  await local.push(...own.map((plan) => plan.name));
  const opened: OpenedPullRequest[] = [];
  for (const plan of own) {
    const { data } = await octokit.rest.pulls.create({
      owner,
      repo: name,
      base: "main",
      head: plan.name,
      title: plan.title,
    });
    opened.push({ number: data.number, plan, admitted: new Set(), withdrawnAt: null, endedBefore: null });
  }
  return opened;
}

const readingMs = 250;

/**
 * An author who withdraws a pull request by a push comments late in one second, and pushes in the next one, because GitHub's times are
 * whole seconds: within one second, their order would be unknown.
 */
const lateInSecond = 850;

/** The time until a place in a second, both in milliseconds. */
const untilMs = (place: number): number => (1_000 + place - (Date.now() % 1_000)) % 1_000;

/** The actions around a person that the person does not control. */
export interface Surroundings {
  look(pr: number): Promise<QueuedPullRequest | null>;
  /** Uploads the impacted targets of a head commit, as CI does. */
  uploadImpact(headSha: string): Promise<void>;
  /** Replaces the comment that asks to merge; null = the person comments. */
  readonly submit: (() => Promise<unknown>) | null;
}

/** Performs the acts that the plan lists for a pull request, one after the other. */
export async function act(
  pr: OpenedPullRequest,
  people: { author: Person; reader: Person },
  { owner, name }: Repository,
  { look, uploadImpact, submit }: Surroundings,
): Promise<void> {
  const { number, plan, admitted } = pr;
  const at = { owner, repo: name, issue_number: number };
  const withdrawsByPush = plan.acts.some((step) => step.type === "push" && !step.fixes);
  // Some people keep the page open. Opening it makes GitHub compute whether the pull request is mergeable.
  const page = () => people.author.octokit.rest.pulls.get({ owner, repo: name, pull_number: number });
  await uploadImpact((await page()).data.head.sha);
  await sleep(readingMs);
  for (const step of plan.acts) await perform(step);

  async function admit(): Promise<void> {
    admitted.add((await page()).data.head.sha);
    const entry = await look(number);
    pr.endedBefore = entry?.isCurrentlySubmittedToQueue === false ? entry.stateChangedAt : null;
  }

  async function perform(step: Act): Promise<void> {
    switch (step.type) {
      case "comment": {
        const { octokit } = step.by === "reader" ? people.reader : people.author;
        if (step.by === "author" && step.text.startsWith("/trainyard merge")) {
          if (withdrawsByPush) await sleep(untilMs(lateInSecond));
          await admit();
        }
        if (submit && step.by === "author" && step.text === "/trainyard merge") await submit();
        else await octokit.rest.issues.createComment({ ...at, body: step.text });
        if (step.text === "/trainyard cancel") pr.withdrawnAt = Date.now();
        return;
      }
      case "label":
        await admit();
        await people.author.octokit.rest.issues.addLabels({ ...at, labels: [step.name] });
        return;
      case "push":
        if (!step.fixes) await sleep(untilMs(0));
        await people.author.local.pushCommit(plan.name, step.files, `${plan.title}, once more`);
        if (step.fixes) await admit();
        else pr.withdrawnAt = Date.now();
        return uploadImpact((await page()).data.head.sha);
      case "await":
        await until(({ state }) => step.states.includes(state));
        return;
      case "give_up_on_conflict":
        if ((await until(isConflicting)).state !== "not_ready") return;
        return perform({ type: "comment", by: "author", text: "/trainyard cancel" });
    }
  }

  /** Polls the queue entry until a condition holds, or until the entry has merged or failed. */
  async function until(holds: (entry: QueuedPullRequest) => boolean): Promise<QueuedPullRequest> {
    for (;;) {
      const entry = await look(number);
      if (entry && (holds(entry) || entry.state === "merged" || entry.state === "failed")) return entry;
      await sleep(50);
    }
  }
}

function isConflicting({ state, readiness }: QueuedPullRequest): boolean {
  return state === "not_ready" && readiness.gitHubMergeability === "not_mergeable";
}

const pauseMs = 1_000;

/** Submits a pull request through the API, again and again while GitHub does not answer or denies something, as a person would. */
export async function submitUntilAccepted(
  client: TrainyardClient,
  request: RequestOf<"submitPullRequest">,
): Promise<void> {
  for (;;) {
    try {
      await client.submitPullRequest(request);
      return;
    } catch (error) {
      if (!isOfGitHub(error)) throw error;
      await sleep(error.retryAfterMs ?? pauseMs);
    }
  }
}

const isOfGitHub = (error: unknown): error is ApiError =>
  error instanceof ApiError && (error.status >= 500 || error.code === "CODE_HOST_DENIED");

import type * as z from "zod";
import { testExamples } from "../../flaky/endpoints/examples.ts";
import type { EndpointName, Endpoints } from "../endpoints.ts";
import { entryFields, forecast, queue, repo, sha } from "./example-values.ts";
import { queueExamples } from "./queue-examples.ts";

const webhook = {
  id: "wh_5f0a5b0e1c2d3e4f",
  url: "https://hooks.acme.example/trainyard",
  events: ["pull_request.merged", "pull_request.failed"],
  description: "Tells the chat",
  enabled: true,
  createdAt: "2026-03-01T12:00:00.000Z",
  previousSecretUntil: null,
  format: "json",
} as const;
const shownWebhook = { ...webhook, events: [...webhook.events], secret: "whsec_…" };
const delivery = {
  id: "msg_610ca880-fbac-47a5-91f6-46602eb21977_42",
  type: "pull_request.merged",
  state: "parked",
  createdAt: "2026-03-01T12:00:00.000Z",
  attempts: 31,
  nextAttemptAt: null,
  endedAt: "2026-03-02T12:00:00.000Z",
  lastStatus: 500,
  lastError: "it answered 500",
} as const;

export const webhookExamples: Pick<
  Examples,
  | "createWebhook"
  | "listWebhooks"
  | "updateWebhook"
  | "deleteWebhook"
  | "listWebhookDeliveries"
  | "resendWebhookDelivery"
> = {
  createWebhook: {
    body: { url: webhook.url, events: [...webhook.events], description: webhook.description },
    answer: shownWebhook,
  },
  listWebhooks: { body: {}, answer: { webhooks: [{ ...webhook, events: [...webhook.events] }] } },
  updateWebhook: {
    body: { id: webhook.id, rotateSecret: true },
    answer: { ...shownWebhook, previousSecretUntil: "2026-03-02T12:00:00.000Z" },
  },
  deleteWebhook: { body: { id: webhook.id }, answer: { deleted: true } },
  listWebhookDeliveries: {
    body: { id: webhook.id, state: "parked", take: 20 },
    answer: { deliveries: [delivery], nextCursor: null },
  },
  resendWebhookDelivery: {
    body: { id: webhook.id, deliveryId: delivery.id },
    answer: { ...delivery, state: "waiting", attempts: 0, nextAttemptAt: delivery.endedAt, endedAt: null },
  },
};

export type Examples = {
  readonly [Name in EndpointName]: {
    readonly body: z.input<Endpoints[Name]["body"]>;
    readonly answer: z.output<Endpoints[Name]["answer"]>;
  };
};

const waiting = {
  code: "NO_FREE_SLOT",
  since: "2026-03-01T12:00:00.000Z",
  until: null,
  text: "all 4 slots are taken",
  refs: ["#9", "#10"],
};

const pending = {
  ...entryFields,
  state: "pending",
  forecast,
  readiness: {
    hasImpactedTargets: false,
    requiresImpactedTargets: false,
    doesBaseBranchMatch: true,
    gitHubMergeability: "mergeable",
  },
  forceEnqueued: false,
  isCurrentlySubmittedToQueue: true,
  url: "https://trainyard.example.com/queues/github.com/acme/widgets/main/pulls/12",
  verifiedByTestRun: null,
  submittedBy: "alice",
  submittedVia: "api",
  merged: null,
  position: 5,
  reason: "READY",
  why: [waiting],
} as const;

const cancelled = {
  ...pending,
  state: "cancelled",
  forecast: null,
  isCurrentlySubmittedToQueue: false,
  position: null,
  reason: "CANCELLED_BY_API",
  why: [],
} as const;

/** A request and an answer of every endpoint. */
export const examples: Examples = {
  submitPullRequest: {
    body: { ...queue, pr: { number: 12, sha }, priority: "high" },
    answer: { ...pending, why: [...pending.why], alreadyQueued: false },
  },
  tryPullRequest: {
    body: { ...queue, pr: { number: 12, sha } },
    answer: {
      prNumber: 12,
      prSha: sha,
      state: "building",
      askedAt: "2026-03-01T12:00:00.000Z",
      testRunId: "0b24a36b-1a6b-4f2e-9f0e-6a1d8c6a4e11",
    },
  },
  cancelTry: { body: { ...queue, pr: { number: 12 } }, answer: { cancelled: true } },
  cancelPullRequest: { body: { ...queue, pr: { number: 12 } }, answer: { ...cancelled, why: [] } },
  restartTestsOnPullRequest: {
    body: { ...queue, pr: { number: 12 } },
    answer: { ...pending, why: [waiting] },
  },
  getSubmittedPullRequest: {
    body: { ...queue, pr: { branch: "add-a-widget" } },
    answer: { ...pending, why: [waiting] },
  },
  getSubmittedPullRequests: {
    body: { ...queue, prs: [{ number: 12 }, { number: 99 }] },
    answer: { pullRequests: [{ ...pending, why: [waiting] }], notFound: [99] },
  },
  listPullRequests: {
    body: { ...queue, state: "merged", since: "2026-03-01T00:00:00Z", take: 20 },
    answer: {
      pullRequests: [
        {
          ...entryFields,
          state: "merged",
          submittedAt: "2026-03-01T11:30:00.000Z",
          isCurrentlySubmittedToQueue: false,
          merged: { sha: "ea1d10463ef26a581073d55d136499853e605fdc", proof: "same_tree" },
          reason: "MERGED_IN_ORDER",
        },
      ],
      nextCursor: null,
    },
  },
  explainPullRequest: {
    body: { ...queue, pr: { number: 12 } },
    answer: {
      prNumber: 12,
      state: "pending",
      stateChangedAt: entryFields.stateChangedAt,
      position: 5,
      reason: "READY",
      text: "it is ready",
      why: [waiting],
      forecast,
      verdict: {
        state: "pending",
        head: sha,
        attemptsOnHead: 0,
        blockedBy: [8, 9],
        left: null,
        nextAction: "wait",
        safeToRequeue: false,
        evidence: null,
      },
    },
  },
  setImpactedTargets: {
    body: { ...queue, pr: { number: 12, sha }, impactedTargets: ["//widgets:lib", "//widgets:test"] },
    answer: { prNumber: 12, prSha: sha, targetsCount: 2 },
  },
  getMergeQueueTestingDetails: {
    body: { ...queue, testRunId: "8217eec3-6214-45da-a80f-1ad2f0208527" },
    answer: {
      testRunId: "8217eec3-6214-45da-a80f-1ad2f0208527",
      status: "in_progress",
      createdAt: "2026-03-01T12:00:00.000Z",
      endedAt: null,
      timesOutAt: "2026-03-01T17:01:00.000Z",
      requiredStatuses: ["build", "test"],
      requiredStatusesSource: "repo_provider_branch_protection",
      testBranch: "trainyard-merge/pr-12/8217eec3-6214-45da-a80f-1ad2f0208527",
      testBranchSha: "ea1d10463ef26a581073d55d136499853e605fdc",
      baseSha: "a814d32de2d1c52f666aa9e6bb095437474e6dc3",
      checkSuites: [
        {
          checkRuns: [
            { name: "build", url: "https://ci.example/1", status: "COMPLETED", conclusion: "SUCCESS" },
            { name: "test", url: "https://ci.example/2", status: "IN_PROGRESS", conclusion: null },
          ],
        },
      ],
      statusChecks: [],
      testedPullRequests: [
        { prNumber: 12, prUrl: "https://github.com/acme/widgets/pull/12", title: "Add a widget", prSha: sha },
      ],
      dependentPrs: [9, 10],
      isBisection: false,
      failedBefore: [
        {
          name: "counts widgets",
          parent: "widgets",
          file: "test/widgets.test.ts",
          classname: null,
          variant: "Linux",
          isFlaky: false,
          failedRuns: 1,
          lastFailedAt: "2026-03-01T11:40:00.000Z",
        },
      ],
      reason: null,
    },
  },
  proveCommit: {
    body: { ...queue, sha: "ea1d10463ef26a581073d55d136499853e605fdc" },
    answer: {
      proved: true,
      reason: "PASSED",
      sha: "ea1d10463ef26a581073d55d136499853e605fdc",
      treeSha: "7d9f4c2ab2a4d57b64cbd4b8d7c8b6a1bb05f7c5",
      prNumber: 12,
      run: {
        testRunId: "8217eec3-6214-45da-a80f-1ad2f0208527",
        url: "https://trainyard.example.com/queues/github.com/acme/widgets/main/pulls/12#run-8217eec3-6214-45da-a80f-1ad2f0208527",
        testedSha: "c7f9a1d63f0f1c8d8f9e35b7cf0ad59d6a5b6f4e",
        endedAt: "2026-03-01T12:09:00.000Z",
      },
      checks: [{ name: "test", conclusion: "success", url: "https://ci.example/2" }],
      flakyTests: [],
    },
  },
  ...queueExamples,
  ...testExamples,
  listAuditLog: {
    body: { repo, action: "updateQueue", since: "2026-03-01T00:00:00Z", take: 20 },
    answer: {
      entries: [
        {
          id: 4711,
          at: "2026-03-01T12:00:00.000Z",
          action: "updateQueue",
          outcome: "done",
          code: null,
          times: 1,
          actor: { kind: "token", id: "0123456789ab", name: "ci" },
          via: "api",
          repo,
          targetBranch: "main",
          prNumber: null,
          tokenId: null,
          subject: null,
          changes: [{ field: "concurrency", from: 5, to: 8 }],
          reason: "CI has more runners",
          address: "192.0.2.7",
          userAgent: "curl/8.5.0",
          requestId: "7d1e…",
        },
      ],
      nextCursor: null,
    },
  },
  ...webhookExamples,
};

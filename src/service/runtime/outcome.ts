import { renderCode } from "../../command/escape-markdown.ts";
import { repositoryFilePath } from "../../command/repository-file.ts";
import {
  type Refusal as EngineRefusal,
  naming,
  renderRefusal as renderEngineRefusal,
} from "../../engine/model/refusal.ts";
import { asClause } from "../../engine/reasons/sentence.ts";
import type { Finding } from "../doctor/finding.ts";

/** The outcome of a command. An expected refusal is a value, not an error. */
export type Outcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly refusal: Refusal };

/** Why a command was not carried out. Nothing changed. */
export type Refusal =
  | EngineRefusal
  | { readonly code: "PR_NOT_FOUND"; readonly pr: number }
  | { readonly code: "HEAD_NOT_FOUND"; readonly pr: number; readonly sha: string }
  | { readonly code: "OWN_PULL_REQUEST"; readonly pr: number }
  | { readonly code: "NEVER_SUBMITTED"; readonly pr: number | string }
  | { readonly code: "BRANCH_NOT_FOUND"; readonly branch: string }
  | { readonly code: "TEST_RUN_NOT_FOUND"; readonly runId: string }
  | {
      readonly code: "WORKFLOW_OF_OTHER_HEAD";
      readonly pr: number;
      readonly sha: string;
      readonly ref: string;
    }
  | { readonly code: "WORKFLOW_OF_OTHER_BRANCH"; readonly ref: string }
  | { readonly code: "REPOSITORY_NOT_FOUND" }
  | { readonly code: "TEST_NOT_FOUND"; readonly id: string }
  | { readonly code: "PAGE_TOKEN_NOT_VALID" }
  | { readonly code: "WEBHOOK_NOT_FOUND"; readonly id: string }
  | { readonly code: "WEBHOOK_DELIVERY_NOT_FOUND"; readonly id: string }
  | { readonly code: "WEBHOOK_ADDRESS_REFUSED"; readonly objection: string }
  | { readonly code: "WEBHOOK_PORT_REFUSED"; readonly port: number; readonly allowed: readonly number[] }
  | { readonly code: "TOO_MANY_WEBHOOKS"; readonly most: number }
  | { readonly code: "ENCRYPTION_KEY_MISSING" }
  | { readonly code: "HOST_NOT_SERVED"; readonly host: string; readonly served: readonly string[] }
  | { readonly code: "APP_NOT_INSTALLED"; readonly repository: string }
  | { readonly code: "QUEUE_CANNOT_WORK"; readonly branch: string; readonly finding: Finding }
  | { readonly code: "OTHER_QUEUE"; readonly pr: number; readonly branch: string; readonly base: string }
  | {
      readonly code: "REQUEUE_NEEDS_PERSON";
      readonly pr: number;
      readonly head: string;
      readonly limit: number;
    }
  | { readonly code: "FORKS_DENIED"; readonly pr: number; readonly branch: string }
  | {
      readonly code: "FORK_CHANGES_WORKFLOWS";
      readonly pr: number;
      readonly path: string;
      readonly head: string;
    }
  | {
      readonly code: "REPOSITORY_FILE_INVALID";
      readonly path: string;
      readonly branch: string;
      readonly problems: string;
    }
  | { readonly code: "CODE_HOST_DENIED"; readonly message: string }
  | {
      readonly code: "CODE_HOST_UNAVAILABLE";
      readonly message: string;
      readonly retryAfterMs: number | null;
    };

export type RefusalCode = Refusal["code"];

/** The refusal as a sentence that says what to do. */
export function renderRefusal(refusal: Refusal): string {
  switch (refusal.code) {
    case "PR_NOT_FOUND":
      return `There is no pull request #${refusal.pr} in this repository. Check the number, and the owner and name of the repository.`;
    case "HEAD_NOT_FOUND":
      return `#${refusal.pr} has no head ${refusal.sha}, and the repository has no such commit. Send the commit that the targets were computed for: github.event.pull_request.head.sha in a workflow, not github.sha.`;
    case "OWN_PULL_REQUEST":
      return `#${refusal.pr} belongs to a test of the queue and cannot be queued. Submit the pull requests that it names.`;
    case "NEVER_SUBMITTED":
      return `${typeof refusal.pr === "number" ? `#${refusal.pr}` : `The pull request of branch "${refusal.pr}"`} was never submitted to this queue. Submit it with \`trainyard pr submit\`, or submitPullRequest.`;
    case "BRANCH_NOT_FOUND":
      return `There is no branch "${refusal.branch}" in this repository; a queue needs its branch to exist. Create the branch first, or name another one.`;
    case "TEST_RUN_NOT_FOUND":
      return `This queue has no test run ${refusal.runId}. The id of a test run is the UUID at the end of its test branch's name.`;
    case "WORKFLOW_OF_OTHER_HEAD":
      return `The workflow runs on ${refusal.sha.slice(0, 10)} (${refusal.ref}), but the request does not name that head of #${refusal.pr}. Name it in pr.sha, and upload from a workflow of that pull request (on: pull_request), or of a push of that head. Otherwise send an API token.`;
    case "WORKFLOW_OF_OTHER_BRANCH":
      return `The workflow runs for ${refusal.ref}, but the upload names something else. For a pull request, send kind "pr" and its number; for a branch, that branch.`;
    case "REPOSITORY_NOT_FOUND":
      return "This repository is unknown here. Check its host, owner and name, and install the App on it. Its tests become known when results are uploaded with flaky-tests/upload-results. The organisation is the owner of the repository, and org_url_slug is the owner's login. A token reaches only the repositories of its own organisation, a workflow only its own repository, a person those that GitHub shows to them.";
    case "TEST_NOT_FOUND":
      return `This repository has no test ${refusal.id}. The lists of its tests contain the ids, as test_case_id. A test becomes known when a report that contains it is uploaded.`;
    case "PAGE_TOKEN_NOT_VALID":
      return "This page_token does not belong to this list with this repository, page_size and filter. Start again without a page_token, and send the same page_size and filter for every page.";
    case "WEBHOOK_NOT_FOUND":
      return `There is no webhook "${refusal.id}" in your organisation. listWebhooks shows the existing ones.`;
    case "WEBHOOK_DELIVERY_NOT_FOUND":
      return `This webhook has no delivery "${refusal.id}". listWebhookDeliveries shows the existing ones. Old deliveries are deleted.`;
    case "WEBHOOK_ADDRESS_REFUSED":
      return `Webhooks cannot be sent to this address: ${asClause(refusal.objection)}. The operator of the service can allow private addresses and plain HTTP with TRAINYARD_WEBHOOK_ALLOW_PRIVATE=true.`;
    case "WEBHOOK_PORT_REFUSED":
      return `Webhooks cannot be sent to port ${refusal.port}, but only to ${refusal.allowed.join(", ")}. The operator of the service can allow others with TRAINYARD_WEBHOOK_PORTS.`;
    case "TOO_MANY_WEBHOOKS":
      return `Your organisation has ${refusal.most} webhooks, the maximum. Delete one first.`;
    case "ENCRYPTION_KEY_MISSING":
      return "The service cannot store a webhook's secret, because TRAINYARD_ENCRYPTION_KEY is not set. Its operator has to set it to 32 random bytes in base64, as `openssl rand -base64 32` prints them.";
    case "HOST_NOT_SERVED":
      return `Host "${refusal.host}" is not served here; use ${refusal.served.join(" or ")}.`;
    case "APP_NOT_INSTALLED":
      return `The GitHub App is not installed on ${refusal.repository}; install it there first.`;
    case "QUEUE_CANNOT_WORK": {
      const { code, title, cause, evidence, fix } = refusal.finding;
      const where = fix.url === null ? "" : ` (${fix.url})`;
      return `A queue of branch "${refusal.branch}" could never merge (${code}): ${asClause(title)}. ${cause} Seen: ${asClause(evidence)}. ${asClause(fix.text)}${where}, then try again.`;
    }
    case "OTHER_QUEUE":
      return `#${refusal.pr} is to be merged into ${refusal.base}, not into ${refusal.branch}. Use the queue of ${refusal.base}.`;
    case "REQUEUE_NEEDS_PERSON":
      return `Bots and API tokens have submitted #${refusal.pr} again at \`${refusal.head.slice(0, 7)}\` as often as \`requeuesByBots: ${refusal.limit}\` in ${repositoryFilePath} allows. Push a fix, or have a person submit it: with a comment, with the label or on the dashboard.`;
    case "FORKS_DENIED":
      return `#${refusal.pr} comes from a fork, and \`forks: deny\` in ${repositoryFilePath} on ${refusal.branch} keeps forks out of the queue. Push its commits to a branch of this repository and open a pull request from there.`;
    case "FORK_CHANGES_WORKFLOWS":
      return `#${refusal.pr} comes from a fork and changes ${renderCode(refusal.path)}, which decides what runs with this repository's secrets. Somebody with \`admin\` permission has to review its head, then name it with all digits in a comment: ${naming(refusal.head)}.`;
    case "REPOSITORY_FILE_INVALID":
      return `${refusal.path} on ${refusal.branch} cannot be read: ${asClause(refusal.problems)}. Fix it there, then give the command again.`;
    case "CODE_HOST_DENIED":
      return `GitHub denied this to the App: ${asClause(refusal.message)}. Grant the App the permissions of its manifest, and accept them for the installation.`;
    case "CODE_HOST_UNAVAILABLE":
      return `GitHub did not answer: ${asClause(refusal.message)}. Nothing was changed; try again.`;
    default:
      return renderEngineRefusal(refusal);
  }
}

export function accepted<T>(value: T): Outcome<T> {
  return { ok: true, value };
}

export function refused<T>(refusal: Refusal): Outcome<T> {
  return { ok: false, refusal };
}

import type { Octokit } from "@octokit/rest";
import type { RequiredCheck } from "../engine/model/checks/required-checks.ts";
import type { RepositoryRef } from "../engine/model/queue.ts";
import type { KnownPlace, Reach } from "../ports/code-host/app.ts";
import type { CheckRunContent } from "../ports/code-host/checks.ts";
import type { CodeHost, InstalledRepository, IssueContent } from "../ports/code-host/code-host.ts";
import type { DoctorFacts, DoctorPlace, FactName } from "../ports/code-host/doctor-facts.ts";
import type { MergeGate, MergePlan, TestCommitPlan } from "../ports/code-host/merging.ts";
import type { Reaction, SaidAt, TestPullRequest } from "../ports/code-host/pull-requests.ts";
import { findInstallation } from "./access/find-installation.ts";
import { isSameRepositoryFile, readRepositoryFile } from "./access/find-repository-file.ts";
import { readForkRun } from "./access/fork-run.ts";
import { permissionOf } from "./access/permission.ts";
import { ProtectionReader } from "./access/protection.ts";
import { readReach } from "./access/read-reach.ts";
import { changedPaths, readFile } from "./access/repository-content.ts";
import { cancelWorkflowRuns } from "./checks/cancel-workflow-runs.ts";
import { CheckRunPublisher } from "./checks/check-run.ts";
import { readChecks } from "./checks/checks.ts";
import { rerunFailedJobs } from "./checks/rerun-failed-jobs.ts";
import { StatusApps } from "./checks/status-apps.ts";
import type { AppClient } from "./client/app-client.ts";
import { toCodeHostError } from "./client/code-host-error.ts";
import { askUnconditionally } from "./client/conditional-requests.ts";
import type { ContentPlace } from "./client/content-place.ts";
import { ContentWriters } from "./client/content-writers.ts";
import { NodeIds } from "./client/node-ids.ts";
import { factReaders } from "./doctor/read-fact.ts";
import { merge } from "./merging/merge.ts";
import { autoMergeEnabledAt } from "./pull-requests/auto-merge.ts";
import { Commenter } from "./pull-requests/comment.ts";
import {
  addLabel,
  listComments,
  listLabelEvents,
  listLabels,
  removeLabel,
} from "./pull-requests/conversation.ts";
import { headAt } from "./pull-requests/head-at.ts";
import { commentOnIssue, editIssue, findIssue, openIssue } from "./pull-requests/issue.ts";
import { listOpenPullRequests } from "./pull-requests/pull-request.ts";
import { listObjectedTo } from "./pull-requests/pull-request-group.ts";
import { PullRequestReader } from "./pull-requests/pull-request-reader.ts";
import { readMergeMessage, readPullRequestText } from "./pull-requests/pull-request-text.ts";
import { pusherOf } from "./pull-requests/pusher-of.ts";
import { react } from "./pull-requests/reaction.ts";
import { listBranches, type Repository, readRef, readTree } from "./test-commits/branches.ts";
import { buildTestCommit } from "./test-commits/build-test-commit.ts";
import { changedBetween } from "./test-commits/changed-between.ts";
import { compareHead } from "./test-commits/compare-head.ts";
import { conflictDetails } from "./test-commits/conflict-details.ts";
import { BranchRemovals } from "./test-commits/remove-branches.ts";
import { HeadStacker } from "./test-commits/stack-heads.ts";
import { openTestPullRequest } from "./test-commits/test-pull-request.ts";
import { RefUpdater } from "./test-commits/update-refs.ts";

type IssueComment = Parameters<CodeHost["commentOnIssue"]>[2];
/** Implements the port for GitHub. Each method has a file of its own, and every error is classified before it leaves. */
export class GitHubCodeHost implements CodeHost {
  readonly #client: AppClient;
  readonly #protection = new ProtectionReader();
  readonly #statusApps = new StatusApps();
  readonly #ids = new NodeIds();
  readonly #pullRequests = new PullRequestReader(this.#protection, this.#statusApps, this.#ids);
  readonly #stacker: HeadStacker;
  readonly #refs = new RefUpdater(this.#ids);
  readonly #removals = new BranchRemovals(this.#refs);
  readonly #writers: ContentWriters;

  constructor(client: AppClient, scratchPrefix: string) {
    this.#client = client;
    this.#writers = new ContentWriters(client);
    this.#stacker = new HeadStacker(scratchPrefix, this.#refs);
  }

  findInstallation(repo: RepositoryRef): Promise<number | null> {
    return findInstallation(this.#client, repo);
  }

  async readReach(place: KnownPlace, isNews = false): Promise<Reach> {
    if (isNews) this.#client.forgetAnswersToApp();
    try {
      const reach = await readReach(this.#client, place);
      if ("installation" in reach) this.#client.noteGrants(reach.installation);
      return reach;
    } catch (error) {
      this.#client.forgetAnswersToApp();
      throw toCodeHostError(error);
    }
  }

  readFact<Name extends FactName>(name: Name, place: DoctorPlace): Promise<DoctorFacts[Name]> {
    return factReaders(this.#client)
      [name](place)
      .catch((error) => Promise.reject(toCodeHostError(error)));
  }

  branchTip(repo: InstalledRepository, branch: string, fresh = false) {
    const read = () => this.#ask(repo, (octokit, at) => readRef(octokit, at, branch));
    return fresh ? askUnconditionally(read) : read();
  }

  treeOf(repo: InstalledRepository, sha: string) {
    return this.#ask(repo, (octokit, at) => readTree(octokit, at, sha));
  }

  readPullRequest(repo: InstalledRepository, pr: number) {
    return this.#ask(repo, (octokit, at) => this.#pullRequests.read(octokit, at, pr));
  }

  readMergeMessage(repo: InstalledRepository, pr: number) {
    return this.#ask(repo, (octokit, at) => readMergeMessage(octokit, at, pr));
  }

  readPullRequestText(repo: InstalledRepository, pr: number) {
    return this.#ask(repo, (octokit, at) => readPullRequestText(octokit, at, pr));
  }

  listObjectedTo(repo: InstalledRepository, prs: readonly number[]) {
    return this.#ask(repo, (octokit, at) => listObjectedTo(octokit, at, prs));
  }

  listOpenPullRequests(repo: InstalledRepository, base: string) {
    return this.#ask(repo, (octokit, at) => listOpenPullRequests(octokit, at, base));
  }

  listComments(repo: InstalledRepository, since: number) {
    return this.#ask(repo, (octokit, at) => listComments(octokit, at, since));
  }

  listLabelEvents(repo: InstalledRepository, pr: number) {
    return this.#ask(repo, (octokit, at) => listLabelEvents(octokit, at, pr));
  }

  autoMergeEnabledAt(repo: InstalledRepository, pr: number) {
    return this.#ask(repo, (octokit, at) => autoMergeEnabledAt(octokit, at, pr));
  }

  pusherOf(repo: InstalledRepository, branch: string, sha: string) {
    return this.#ask(repo, (octokit, at) => pusherOf(octokit, at, branch, sha));
  }

  headAt(repo: InstalledRepository, pr: number, said: SaidAt) {
    return this.#ask(repo, (octokit, at) => headAt(octokit, at, pr, said));
  }

  readFile(repo: InstalledRepository, ref: string | null, path: string) {
    return this.#ask(repo, (octokit, at) => readFile(octokit, at, ref, path));
  }

  readRepositoryFile(repo: InstalledRepository, ref: string) {
    return this.#ask(repo, (octokit, at) => readRepositoryFile(octokit, at, ref));
  }

  isSameRepositoryFile(repo: InstalledRepository, refs: readonly [string, string]) {
    return this.#ask(repo, (octokit, at) => isSameRepositoryFile(octokit, at, refs));
  }

  changedBetween(repo: InstalledRepository, branch: string, head: string, paths: readonly string[]) {
    return this.#ask(repo, (octokit, at) => changedBetween(octokit, at, branch, head, paths));
  }

  conflictDetails(repo: InstalledRepository, branch: string, head: string) {
    return this.#ask(repo, (octokit, at) => conflictDetails(octokit, at, branch, head));
  }

  changedPaths(repo: InstalledRepository, pr: number) {
    return this.#ask(repo, (octokit, at) => changedPaths(octokit, at, pr));
  }

  listLabels(repo: InstalledRepository, pr: number) {
    return this.#ask(repo, (octokit, at) => listLabels(octokit, at, pr));
  }

  addLabel(repo: InstalledRepository, pr: number, label: string) {
    return this.#ask(repo, (octokit, at) => addLabel(octokit, at, pr, label));
  }

  removeLabel(repo: InstalledRepository, pr: number, label: string) {
    return this.#ask(repo, (octokit, at) => removeLabel(octokit, at, pr, label));
  }

  readForkRun(repo: InstalledRepository, runId: number) {
    return this.#ask(repo, (octokit, at) => readForkRun(octokit, at, runId));
  }

  permissionOf(repo: InstalledRepository, login: string) {
    return this.#ask(repo, (octokit, at) => permissionOf(octokit, at, login));
  }

  requiredChecks(repo: InstalledRepository, branch: string, fresh = false) {
    return this.#ask(repo, (octokit, at) => this.#protection.requiredChecks(octokit, at, branch, fresh));
  }

  readChecks(
    repo: InstalledRepository,
    sha: string,
    required: readonly RequiredCheck[],
    branch: string | null = null,
    fresh = false,
  ) {
    const read = () =>
      this.#ask(repo, (octokit, at) => readChecks(octokit, at, sha, required, this.#statusApps, branch));
    return fresh ? askUnconditionally(read) : read();
  }

  openTestPullRequest(repo: InstalledRepository, pull: TestPullRequest) {
    return this.#ask(repo, (octokit, at) => openTestPullRequest(octokit, at, pull));
  }

  rerunFailedJobs(repo: InstalledRepository, suiteId: number) {
    return this.#ask(repo, (octokit, at) => rerunFailedJobs(octokit, at, suiteId));
  }

  compareHead(repo: InstalledRepository, base: string, head: string) {
    return this.#ask(repo, (octokit, at) => compareHead(octokit, at, base, head));
  }

  async buildTestCommit(repo: InstalledRepository, plan: TestCommitPlan) {
    const result = await this.#ask(repo, (octokit, at) =>
      buildTestCommit(octokit, at, this.#stacker, this.#refs, plan),
    );
    if (result.kind !== "built") this.#client.forgetAnswers(repo);
    return result;
  }

  removeBranch(repo: InstalledRepository, branch: string) {
    this.#stacker.forget(branch);
    return this.#ask(repo, (octokit, at) => this.#removals.remove(octokit, at, branch));
  }

  listBranches(repo: InstalledRepository, prefix: string) {
    return this.#ask(repo, (octokit, at) => listBranches(octokit, at, prefix));
  }

  cancelWorkflowRuns(repo: InstalledRepository, branch: string) {
    return this.#ask(repo, (octokit, at) => cancelWorkflowRuns(octokit, at, branch));
  }

  merge(repo: InstalledRepository, plan: MergePlan, gate: MergeGate) {
    return this.#ask(repo, (octokit, at) => merge(octokit, at, this.#stacker, this.#refs, plan, gate));
  }

  putCheckRun(repo: InstalledRepository, id: string | null, content: CheckRunContent, mayExist: boolean) {
    return this.#ask(repo, (octokit, at) =>
      new CheckRunPublisher(this.#content(repo, octokit, at)).put(id, content, mayExist),
    );
  }

  putComment(repo: InstalledRepository, ...comment: Parameters<Commenter["put"]>) {
    return this.#ask(repo, (octokit, at) => new Commenter(this.#content(repo, octokit, at)).put(...comment));
  }

  findIssue(repo: InstalledRepository, subject: string, since: number) {
    return this.#ask(repo, (octokit, at) => findIssue(octokit, at, subject, since));
  }

  openIssue(repo: InstalledRepository, content: IssueContent) {
    return this.#ask(repo, (octokit, at) => openIssue(octokit, at, content));
  }

  editIssue(repo: InstalledRepository, number: number, content: Parameters<CodeHost["editIssue"]>[2]) {
    return this.#ask(repo, (octokit, at) => editIssue(octokit, at, number, content));
  }

  commentOnIssue(repo: InstalledRepository, number: number, comment: IssueComment, mayExist: boolean) {
    return this.#ask(repo, (octokit, at) => commentOnIssue(octokit, at, number, comment, mayExist));
  }

  react(repo: InstalledRepository, commentNodeId: string, reaction: Reaction) {
    return this.#ask(repo, () => react(this.#writers.of(repo), commentNodeId, reaction));
  }

  #content(repo: InstalledRepository, octokit: Octokit, at: Repository): ContentPlace {
    return { octokit, at, writer: this.#writers.of(repo), ids: this.#ids };
  }

  async #ask<T>(
    repo: InstalledRepository,
    question: (octokit: Octokit, at: Repository) => Promise<T>,
  ): Promise<T> {
    try {
      const { owner, name, installationId } = repo;
      return await question(this.#client.installation(installationId), { owner, repo: name });
    } catch (error) {
      const classified = toCodeHostError(error);
      this.#client.forgetAfter(classified, repo);
      throw classified;
    }
  }
}

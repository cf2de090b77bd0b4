import type { RequiredCheck } from "../engine/model/checks/required-checks.ts";
import type { RepositoryRef } from "../engine/model/queue.ts";
import type { KnownPlace, Ownership, Reach } from "../ports/code-host/app.ts";
import type { CheckRunContent } from "../ports/code-host/checks.ts";
import type { CodeHost, InstalledRepository } from "../ports/code-host/code-host.ts";
import type { DoctorFacts, DoctorPlace, FactName } from "../ports/code-host/doctor-facts.ts";
import type { MergeGate, MergePlan, TestCommitPlan } from "../ports/code-host/merging.ts";
import type { Reaction } from "../ports/code-host/pull-requests.ts";
import { ProtectionReader } from "./access/protection.ts";
import { findInstallation, permissionOf, readOwnership, readReach } from "./access/reach.ts";
import {
  changedPaths,
  isSameRepositoryFile,
  readFile,
  readRepositoryFile,
} from "./access/repository-files.ts";
import { CheckRunPublisher } from "./checks/check-run.ts";
import { readAnnotations } from "./checks/read-annotations.ts";
import { readChecks } from "./checks/read-checks.ts";
import { StatusApps } from "./checks/statuses.ts";
import { cancelWorkflowRuns, readForkRun, rerunFailedJobs } from "./checks/workflow-runs.ts";
import type { AppClient } from "./client/app-client.ts";
import { toCodeHostError } from "./client/code-host-error.ts";
import { askUnconditionally } from "./client/conditional-requests.ts";
import { type ContentPlace, ContentWriters } from "./client/content-writer.ts";
import { NodeIds } from "./client/node-ids.ts";
import type { RepositoryApi } from "./client/repository-api.ts";
import { factReaders } from "./doctor/read-fact.ts";
import { merge } from "./merging/merge.ts";
import { Commenter } from "./pull-requests/comment.ts";
import {
  addLabel,
  autoMergeEnabledAt,
  listComments,
  listLabelEvents,
  listLabels,
  react,
  removeLabel,
} from "./pull-requests/conversation.ts";
import { commentOnIssue, editIssue, findIssue, openIssue } from "./pull-requests/issue.ts";
import { listOpenPullRequests } from "./pull-requests/pull-request.ts";
import { listObjectedTo } from "./pull-requests/pull-request-group.ts";
import { PullRequestReader } from "./pull-requests/pull-request-reader.ts";
import { readMergeMessage, readPullRequestText } from "./pull-requests/pull-request-text.ts";
import { headAt, pusherOf } from "./pull-requests/pushes.ts";
import { listBranches, readRef, readTree } from "./test-commits/branches.ts";
import { buildTestCommit, openTestPullRequest } from "./test-commits/build-test-commit.ts";
import { changedBetween, compareHead, conflictDetails, firstCommits } from "./test-commits/comparisons.ts";
import { HeadStacker } from "./test-commits/stack-heads.ts";
import { BranchRemovals, RefUpdater } from "./test-commits/update-refs.ts";

/**
 * Implements the port for GitHub: binds the operations of the other files to the App's installation in a repository, and classifies
 * every error before it leaves.
 */
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

  readonly treeOf = this.#bind(readTree);
  readonly readPullRequest = this.#bind((api, pr: number) => this.#pullRequests.read(api, pr));
  readonly readMergeMessage = this.#bind(readMergeMessage);
  readonly readPullRequestText = this.#bind(readPullRequestText);
  readonly listObjectedTo = this.#bind(listObjectedTo);
  readonly listOpenPullRequests = this.#bind(listOpenPullRequests);
  readonly listComments = this.#bind(listComments);
  readonly listLabelEvents = this.#bind(listLabelEvents);
  readonly autoMergeEnabledAt = this.#bind(autoMergeEnabledAt);
  readonly pusherOf = this.#bind(pusherOf);
  readonly headAt = this.#bind(headAt);
  readonly readFile = this.#bind(readFile);
  readonly readRepositoryFile = this.#bind(readRepositoryFile);
  readonly isSameRepositoryFile = this.#bind(isSameRepositoryFile);
  readonly changedBetween = this.#bind(changedBetween);
  readonly conflictDetails = this.#bind(conflictDetails);
  readonly changedPaths = this.#bind(changedPaths);
  readonly listLabels = this.#bind(listLabels);
  readonly addLabel = this.#bind(addLabel);
  readonly removeLabel = this.#bind(removeLabel);
  readonly readForkRun = this.#bind(readForkRun);
  readonly permissionOf = this.#bind(permissionOf);
  readonly openTestPullRequest = this.#bind(openTestPullRequest);
  readonly readAnnotations = this.#bind(readAnnotations);
  readonly rerunFailedJobs = this.#bind(rerunFailedJobs);
  readonly cancelWorkflowRuns = this.#bind(cancelWorkflowRuns);
  readonly compareHead = this.#bind(compareHead);
  readonly firstCommits = this.#bind(firstCommits);
  readonly listBranches = this.#bind(listBranches);
  readonly findIssue = this.#bind(findIssue);
  readonly openIssue = this.#bind(openIssue);
  readonly editIssue = this.#bind(editIssue);
  readonly commentOnIssue = this.#bind(commentOnIssue);
  readonly requiredChecks = this.#bind((api, branch: string, fresh?: boolean) =>
    this.#protection.requiredChecks(api, branch, fresh),
  );
  readonly merge = this.#bind((api, plan: MergePlan, gate: MergeGate) =>
    merge(api, this.#stacker, plan, gate),
  );

  findInstallation(repo: RepositoryRef): Promise<number | null> {
    return findInstallation(this.#client, repo);
  }

  async readOwnership(...asked: Parameters<CodeHost["readOwnership"]>): Promise<Ownership | null> {
    try {
      return await askUnconditionally(() => readOwnership(this.#client, ...asked));
    } catch (error) {
      throw toCodeHostError(error);
    }
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
    const read = () => this.#ask(repo, (api) => readRef(api, branch));
    return fresh ? askUnconditionally(read) : read();
  }

  readChecks(
    repo: InstalledRepository,
    sha: string,
    required: readonly RequiredCheck[],
    branch: string | null = null,
    fresh = false,
  ) {
    const read = () => this.#ask(repo, (api) => readChecks(api, sha, required, this.#statusApps, branch));
    return fresh ? askUnconditionally(read) : read();
  }

  async buildTestCommit(repo: InstalledRepository, plan: TestCommitPlan) {
    const result = await this.#ask(repo, (api) => buildTestCommit(api, this.#stacker, plan));
    if (result.kind !== "built") this.#client.forgetAnswers(repo);
    return result;
  }

  removeBranch(repo: InstalledRepository, branch: string) {
    this.#stacker.forget(branch);
    return this.#ask(repo, (api) => this.#removals.remove(api, branch));
  }

  putCheckRun(repo: InstalledRepository, id: string | null, content: CheckRunContent, mayExist: boolean) {
    return this.#ask(repo, (api) =>
      new CheckRunPublisher(this.#contentPlace(repo, api)).put(id, content, mayExist),
    );
  }

  putComment(repo: InstalledRepository, ...comment: Parameters<Commenter["put"]>) {
    return this.#ask(repo, (api) => new Commenter(this.#contentPlace(repo, api)).put(...comment));
  }

  react(repo: InstalledRepository, commentNodeId: string, reaction: Reaction) {
    return this.#ask(repo, () => react(this.#writers.of(repo), commentNodeId, reaction));
  }

  #contentPlace(repo: InstalledRepository, api: RepositoryApi): ContentPlace {
    return { ...api, writer: this.#writers.of(repo), ids: this.#ids };
  }

  #bind<Args extends readonly unknown[], T>(operation: (api: RepositoryApi, ...args: Args) => Promise<T>) {
    return (repo: InstalledRepository, ...args: Args): Promise<T> =>
      this.#ask(repo, (api) => operation(api, ...args));
  }

  async #ask<T>(repo: InstalledRepository, question: (api: RepositoryApi) => Promise<T>): Promise<T> {
    try {
      return await question(this.#client.repository(repo));
    } catch (error) {
      const classified = toCodeHostError(error);
      this.#client.forgetAfter(classified, repo);
      throw classified;
    }
  }
}

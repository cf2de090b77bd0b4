import type { Outbox, OutboxRow } from "../../store/leased/outbox.ts";
import type { FreezeWatcher } from "../observation/freeze-watcher.ts";
import type { Instances } from "../observation/instances.ts";
import type { Readings } from "../observation/readings.ts";
import type { RepositoryAccess } from "../observation/repository-access.ts";
import type { RepositoryFiles } from "../observation/repository-files.ts";
import type { RequirementsWatcher } from "../observation/requirements-watcher.ts";
import type { Directory } from "../runtime/directory.ts";
import { ImpactedTargets } from "../runtime/impacted-targets.ts";
import { interludeMs } from "../runtime/plan-tasks.ts";
import type { QueueRuntime } from "../runtime/queue-runtime.ts";
import type { EntryReader } from "../runtime/views.ts";
import type { ServiceParts } from "../service-parts.ts";
import { FailureEvidenceReader } from "../status/failure-evidence.ts";
import { StateLabels, SubmitLabel } from "../status/labels.ts";
import { CommandReplies } from "../status/notices.ts";
import { StatusPublisher } from "../status/publish-status.ts";

import { TestCommitBuilder } from "../tasks/build-test-commit.ts";
import { WorkflowRunCanceller } from "../tasks/cancel-workflow-runs.ts";
import { HeadExaminer } from "../tasks/examine-head.ts";
import { MergeExecutor } from "../tasks/merge-entries.ts";
import { PullRequestObserver } from "../tasks/observe-pull-request.ts";
import { TestPullRequestOpener } from "../tasks/open-test-pull-request.ts";
import { PendingInput } from "../tasks/pending-input.ts";
import { BranchRemover } from "../tasks/remove-test-branch.ts";
import { TryReporter } from "../tasks/report-try.ts";
import { WaitReporter } from "../tasks/report-wait.ts";
import { FailedCheckRerunner } from "../tasks/rerun-failed-checks.ts";
import { Submissions } from "../tasks/submissions.ts";
import { TaskExecutor } from "../tasks/task-executor.ts";
import { LeasedWorker } from "../workers/leased-worker.ts";

export interface TaskWorkerParts
  extends Pick<ServiceParts, "stores" | "host" | "clock" | "ids" | "log" | "settings"> {
  readonly runtime: QueueRuntime;
  readonly directory: Directory;
  readonly files: RepositoryFiles;
  readonly instances: Instances;
  readonly freezes: FreezeWatcher;
  readonly requirements: RequirementsWatcher;
  readonly reader: EntryReader;
  readonly outbox: Outbox;
  readonly reach: RepositoryAccess;
  readonly readings: Readings;
}

const tasksAtOnce = 16;

/** Wires the worker that carries out the queues' tasks at the code host. */
export function createTaskWorker(parts: TaskWorkerParts): LeasedWorker<OutboxRow> {
  const { stores, host, clock, ids, log, settings, runtime, directory, files, reader, outbox, reach } = parts;
  const { pace, branches, commandPrefix, pageUrl, leaseMs } = settings;
  const canceller = new WorkflowRunCanceller(directory, branches.test, stores.meters, log);
  const executor = new TaskExecutor({
    outbox,
    clock,
    log,
    builder: new TestCommitBuilder({
      ...{ runtime, directory, files, reach, outbox, clock, canceller },
      branchPrefix: branches.test,
    }),
    merger: new MergeExecutor({
      ...parts,
      input: new PendingInput(stores.inbox, commandPrefix, clock),
      submissions: new Submissions(host.api, files, settings.submitLabel),
    }),
    tries: new TryReporter(
      directory,
      new CommandReplies(stores.publications, directory, outbox, clock),
      commandPrefix,
    ),
    canceller,
    opener: new TestPullRequestOpener(runtime, directory, branches.test, log),
    remover: new BranchRemover(directory, branches),
    publisher: new StatusPublisher({
      runtime,
      directory,
      reader,
      evidence: new FailureEvidenceReader(host.api, stores.queues, log),
      publications: stores.publications,
      outbox,
      files,
      instances: parts.instances,
      labels: new StateLabels({ codeHost: host.api, files }),
      submitLabel: new SubmitLabel({ codeHost: host.api, files, submitLabel: settings.submitLabel, clock }),
      pageUrl,
      commandPrefix,
      clock,
      waitingCheckMs: interludeMs(pace),
      leaseMs,
    }),
    observer: new PullRequestObserver({
      runtime,
      directory,
      files,
      reach,
      readings: parts.readings.pulls,
      targets: new ImpactedTargets(stores.targets, runtime, clock),
      clock,
      lookMs: pace.mergeabilityMs,
    }),
    examiner: new HeadExaminer(runtime, directory, files),
    rerunner: new FailedCheckRerunner(runtime, directory, clock),
    codeHost: host.api,
    directory,
    waits: new WaitReporter(runtime),
    reach,
  });
  return new LeasedWorker<OutboxRow>({
    name: "outbox",
    owner: ids.next(),
    rows: outbox,
    execute: (row) => executor.execute(row),
    clock,
    log,
    leaseMs,
    concurrency: tasksAtOnce,
  });
}

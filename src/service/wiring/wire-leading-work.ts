import { AuditTrail } from "../access/audit-trail.ts";
import { BranchSweeper, OwnBranches } from "../observation/own-branches.ts";

import { Reconciler } from "../observation/reconciler.ts";
import { HistorySweeper } from "../runtime/history-sweeper.ts";
import { PastKeeper } from "../runtime/past-keeper.ts";
import type { ServiceParts } from "../service-parts.ts";
import type { Observation } from "./wire-observation.ts";
import type { QueueFoundation } from "./wire-queues.ts";

/** Work that only one of several replicas does at a time. It may be started again. */
export interface LeadingWork {
  start(): void;
  stop(): Promise<void>;
}

/** Wires the work of the leading replica that concerns queues, and the audit log, which it also cleans up. */
export function wireLeadingWork(parts: ServiceParts, foundation: QueueFoundation, observation: Observation) {
  const { stores, clock, log, settings } = parts;
  const { runtime, directory, outbox } = foundation;
  const { relay, watcher, reach, freezes, requirements } = observation;
  const { branches } = settings;
  const ownBranches = new OwnBranches(runtime, stores.queues, branches);
  const reconciler = new Reconciler({
    runtime,
    directory,
    outbox,
    relay,
    watcher,
    reach,
    freezes,
    requirements,
    clock,
    log,
    sweeper: new BranchSweeper(directory, branches, ownBranches, clock, log),
    heads: stores.heads,
    queues: stores.queues,
    meters: stores.meters,
    intervalMs: settings.reconcileMs,
  });
  const audit = new AuditTrail({ entries: stores.audit, clock, log, retentionMs: settings.auditMs });
  const history = new HistorySweeper(stores.history, clock, log, settings.historyMs);
  const past = new PastKeeper(stores.past, stores.queues, log);
  return { audit, work: [reconciler, audit, history, past] satisfies LeadingWork[] };
}

import { commandBounds } from "../../service/metrics/command-times.ts";
import { lagBounds } from "../../service/metrics/inbox-lag.ts";
import type { MeasuredOrganisation } from "../../service/metrics/organisation-metrics.ts";
import { type Family, type Labels, renderLabels, type Sample } from "./text-format.ts";

type Reading = (measured: MeasuredOrganisation) => readonly Sample[];

const nameOf = ({ owner, name }: { owner: string; name: string }) => `${owner}/${name}`;
const number = (value: number, labels: Labels = {}): Sample => ({ labels, value });

/** Read from the database, so that every replica returns the same values. */
const ofOrganisation: readonly [name: string, type: Family["type"], help: string, read: Reading][] = [
  [
    "trainyard_outbox_depth",
    "gauge",
    "Tasks at GitHub that wait to be carried out, or are",
    ({ outbox }) => [number(outbox.depth)],
  ],
  [
    "trainyard_outbox_oldest_seconds",
    "gauge",
    "For how long the oldest task at GitHub is overdue",
    ({ outbox }) => [number(outbox.oldestSeconds)],
  ],
  [
    "trainyard_inbox_depth",
    "gauge",
    "Deliveries from GitHub that wait to be handled, or are",
    ({ inbox }) => [number(inbox.depth)],
  ],
  [
    "trainyard_inbox_oldest_seconds",
    "gauge",
    "For how long the oldest delivery from GitHub has waited",
    ({ inbox }) => [number(inbox.oldestSeconds)],
  ],
  [
    "trainyard_inbox_lag_seconds",
    "histogram",
    "From the receipt of a delivery to its having been handled, by how it came in",
    ({ lag }) =>
      [...lag].map(([source, histogram]) => ({ labels: { source }, histogram, bounds: lagBounds })),
  ],
  [
    "trainyard_recovered_by_polling_total",
    "counter",
    "What a webhook should have told and polling has found",
    ({ recovered }) => [...recovered].map(([what, value]) => number(value, { what })),
  ],
  [
    "trainyard_cancelled_workflow_runs_total",
    "counter",
    "Workflow runs that were cancelled because their test decided nothing any more",
    ({ cancelledRuns }) => [number(cancelledRuns)],
  ],
  [
    "trainyard_inbox_given_up_total",
    "counter",
    "Deliveries from GitHub that were given up, by the reason",
    ({ givenUp }) => [...givenUp].map(([code, value]) => number(value, { code })),
  ],
  [
    "trainyard_inbox_parked",
    "gauge",
    "Deliveries from GitHub that were given up in the last thirty days",
    ({ parked }) => [number(parked)],
  ],
  [
    "trainyard_commands_ignored_total",
    "counter",
    "Deliveries that might command and were ignored: what they say had come before under another id, or is too old",
    ({ ignored }) => [...ignored].map(([reason, value]) => number(value, { reason })),
  ],
  [
    "trainyard_test_evidence_given_up_total",
    "counter",
    "Uploads, histories and counts of tests that could not be read any more: the database was damaged",
    ({ evidenceGivenUp }) => [...evidenceGivenUp].map(([what, value]) => number(value, { what })),
  ],
  [
    "trainyard_webhook_attempts_total",
    "counter",
    "Attempts to send outbound webhooks, by their outcome",
    ({ webhooks }) =>
      webhooks.flatMap(({ id: webhook, delivered, failed }) => [
        number(delivered, { webhook, outcome: "delivered" }),
        number(failed, { webhook, outcome: "failed" }),
      ]),
  ],
  [
    "trainyard_webhook_deliveries_given_up_total",
    "counter",
    "Outbound webhooks that were given up after a day",
    ({ webhooks }) => webhooks.map(({ id: webhook, parked }) => number(parked, { webhook })),
  ],
  [
    "trainyard_webhook_deliveries_parked",
    "gauge",
    "Outbound webhooks that were given up, and not sent again",
    ({ webhooks }) => webhooks.map(({ id: webhook, parkedNow }) => number(parkedNow, { webhook })),
  ],
  [
    "trainyard_webhook_deliveries_waiting",
    "gauge",
    "Outbound webhooks that wait to be sent, perhaps again",
    ({ webhooks }) => webhooks.map(({ id: webhook, waiting }) => number(waiting, { webhook })),
  ],
  [
    "trainyard_webhook_oldest_waiting_seconds",
    "gauge",
    "For how long the oldest outbound webhook has waited",
    ({ webhooks }) => webhooks.map(({ id: webhook, oldestSeconds }) => number(oldestSeconds, { webhook })),
  ],
  [
    "trainyard_tests",
    "gauge",
    "Tests that are known, by their status",
    ({ tests }) =>
      tests.flatMap(({ repo, byStatus }) =>
        Object.entries(byStatus).map(([status, value]) =>
          number(value, { repo: nameOf(repo), status: status.toLowerCase() }),
        ),
      ),
  ],
  [
    "trainyard_tests_quarantined",
    "gauge",
    "Tests whose failures are forgiven",
    ({ tests }) => tests.map(({ repo, quarantined }) => number(quarantined, { repo: nameOf(repo) })),
  ],
  [
    "trainyard_quarantine_budget_spent",
    "gauge",
    "1 while a flaky test is not quarantined because too many are",
    ({ tests }) =>
      tests.map(({ repo, isBudgetSpent }) => number(isBudgetSpent ? 1 : 0, { repo: nameOf(repo) })),
  ],
  [
    "trainyard_test_issues_refused",
    "gauge",
    "1 while issues are to be opened for flaky tests and GitHub refuses it",
    ({ tests }) =>
      tests.map(({ repo, areIssuesRefused }) => number(areIssuesRefused ? 1 : 0, { repo: nameOf(repo) })),
  ],
  [
    "trainyard_table_rows",
    "gauge",
    "Approximate number of rows in each table of the database, while it serves one organisation only",
    ({ tables }) => [...tables].map(([table, value]) => number(value, { table })),
  ],
  [
    "trainyard_database_damaged",
    "gauge",
    "1 if the last daily search has found damage in the file of the SQLite database; else 0",
    ({ isDatabaseDamaged }) => [number(isDatabaseDamaged ? 1 : 0)],
  ],
];

/** Measured only in the answering process, which the label `process` names. Replicas differ, and a restart resets the values. */
const ofProcess: typeof ofOrganisation = [
  [
    "trainyard_command_duration_seconds",
    "histogram",
    "From a command's request to its answer, in this process",
    ({ commands }) =>
      [...commands].map(([command, histogram]) => ({
        labels: { command },
        histogram,
        bounds: commandBounds,
      })),
  ],
  [
    "trainyard_github_requests_total",
    "counter",
    "Requests of this process to GitHub for this organisation, by the class of their status",
    ({ installations }) =>
      installations.flatMap(({ installationId, requests }) =>
        [...requests].map(([status, value]) => number(value, { installation: `${installationId}`, status })),
      ),
  ],
  [
    "trainyard_github_quota_remaining",
    "gauge",
    "Requests that GitHub lets the installation send in the rest of its hour, as this process saw it last",
    ({ installations }) => quotas(installations, ({ remaining }) => remaining),
  ],
  [
    "trainyard_github_quota_limit",
    "gauge",
    "Requests that GitHub lets the installation send in an hour, as this process saw it last",
    ({ installations }) => quotas(installations, ({ limit }) => limit),
  ],
];

type Usages = MeasuredOrganisation["installations"];

function quotas(installations: Usages, read: (quota: Usages[number]["quotas"][number]) => number): Sample[] {
  return installations.flatMap(({ installationId, quotas: all }) =>
    all.map((quota) => number(read(quota), { installation: `${installationId}`, resource: quota.resource })),
  );
}

export function organisationFamilies(measured: MeasuredOrganisation): Family[] {
  const { organisation, process } = measured;
  const family = (labels: Labels, [name, type, help, read]: (typeof ofOrganisation)[number]): Family => ({
    ...{ name, type, help },
    groups: [[renderLabels(labels), read(measured)]],
  });
  return [
    ...ofOrganisation.map((one) => family({ organisation }, one)),
    ...ofProcess.map((one) => family({ organisation, process }, one)),
  ];
}

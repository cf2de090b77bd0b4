import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { parse } from "yaml";
import { familiesOf } from "../src/api/metrics/families.ts";
import { organisationFamilies } from "../src/api/metrics/organisation-families.ts";
import { renderMetrics } from "../src/api/metrics/text-format.ts";
import { inboxSources, lagHistogram } from "../src/service/metrics/inbox-lag.ts";
import type { MeasuredQueue } from "../src/service/metrics/queue-metrics.ts";
import { nothingCounted } from "../src/service/runtime/tally.ts";

import { parsePrometheus } from "./api/prometheus.ts";

const directory = new URL("../docs/monitoring/", import.meta.url);
const read = (name: string) => readFileSync(new URL(name, directory), "utf8");

const histogram = { counts: [1, 2, 3], sum: 4 };
const hostile = 'quotes " backslashes \\ and\nlines';

const ofQueues = familiesOf([queueOf(hostile, hostile, 2, 1), queueOf("widgets", 'release/"1"', 1, 0)]);

const ofOrganisation = organisationFamilies({
  organisation: "acme",
  process: hostile,
  outbox: { depth: 3, oldestSeconds: 1.5 },
  inbox: { depth: 0, oldestSeconds: 0 },
  lag: new Map(inboxSources.map((source) => [source, lagHistogram(new Map(), source)])),
  givenUp: new Map([["NOT_HANDLED", 1]]),
  parked: 1,
  ignored: new Map([["repeated", 1]]),
  recovered: new Map([["comment", 1]]),
  cancelledRuns: 0,
  evidenceGivenUp: new Map([["upload", 1]]),
  webhooks: [
    {
      ...{ id: "wh_1", delivered: 1, failed: 2, parked: 3, waiting: 4, parkedNow: 5 },
      ...{ waitingSince: 6, oldestSeconds: 7 },
    },
  ],
  tests: [
    {
      repo: { host: "github.com", owner: "acme", name: hostile },
      byStatus: { HEALTHY: 7, FLAKY: 2, BROKEN: 1 },
      ...{ quarantined: 1, isBudgetSpent: true, areIssuesRefused: false },
    },
  ],
  tables: new Map([["events", 1_000]]),
  isDatabaseDamaged: false,
  commands: new Map([["submitPullRequest", histogram]]),
  installations: [
    {
      installationId: 1,
      requests: new Map([["2xx", 1]]),
      quotas: [{ resource: "core", limit: 5_000, remaining: 4_999 }],
    },
  ],
});

const families = [...ofQueues, ...ofOrganisation];
const page = [...renderMetrics(families)].join("");

function queueOf(name: string, branch: string, pending: number, bisection: number): MeasuredQueue {
  const tally = {
    ...nothingCounted,
    states: { ...nothingCounted.states, pending },
    activeRuns: { main: 1, bisection },
  };
  return { repo: { host: "github.com", owner: "acme", name }, branch, tally };
}

/** Returns the output of promtool, or null if Prometheus is not installed. */
function promtool(args: readonly string[], input = ""): { status: number | null; text: string } | null {
  const { status, stdout, stderr, error } = spawnSync("promtool", args, {
    cwd: directory,
    input,
    encoding: "utf8",
  });
  return error ? null : { status, text: `${stdout}${stderr}` };
}

/** The names of series in an expression. */
function seriesIn(expression: string): string[] {
  return [...expression.matchAll(/\b(?:mq|trainyard)_[a-z0-9_]+/g)].map(([name]) =>
    name.replace(/_(bucket|sum|count)$/, ""),
  );
}

const known = new Set(families.map(({ name }) => name));

test("the alert rules use existing series, and pass their own tests", () => {
  const { groups } = parse(read("trainyard.rules.yml")) as {
    groups: { rules: { alert: string; expr: string }[] }[];
  };
  const rules = groups.flatMap((group) => group.rules);
  for (const { alert, expr } of rules) {
    expect({ alert, unknown: seriesIn(expr).filter((name) => !known.has(name)) }).toEqual({
      alert,
      unknown: [],
    });
  }
  const tested = read("trainyard.rules.test.yml");
  for (const { alert } of rules) expect(tested).toContain(`alertname: ${alert}`);
  const result = promtool(["test", "rules", "trainyard.rules.test.yml"]);
  if (result) expect(result).toMatchObject({ status: 0, text: expect.stringContaining("SUCCESS") });
});

test("the Grafana dashboard uses existing series", () => {
  const { panels } = JSON.parse(read("grafana-dashboard.json")) as {
    panels: { targets: { expr: string }[] }[];
  };
  const shown = panels.flatMap(({ targets }) => targets.flatMap(({ expr }) => seriesIn(expr)));
  expect(shown.length).toBeGreaterThan(7);
  expect(shown.filter((name) => !known.has(name))).toEqual([]);
});

test("a strict parser reads every label unchanged, whatever it contains", () => {
  const series = parsePrometheus(page);
  const depths = series.filter(
    ({ name }) => name === "mq_depth_current" || name === "trainyard_outbox_depth",
  );
  expect(depths.map(({ labels, value }) => ({ ...labels, value }))).toEqual([
    { repo: `acme/${hostile}`, branch: hostile, queue_type: "main", value: 2 },
    { repo: `acme/${hostile}`, branch: hostile, queue_type: "bisection", value: 0 },
    { repo: "acme/widgets", branch: 'release/"1"', queue_type: "main", value: 1 },
    { organisation: "acme", value: 3 },
  ]);
  const processes = new Set(series.flatMap(({ labels }) => labels.process ?? []));
  expect(processes).toEqual(new Set([hostile]));
});

test("promtool finds no error in the metrics page", () => {
  expect(page).toContain('branch="release/\\"1\\""');
  const result = promtool(["check", "metrics"], page);
  // promtool advises against names that existing dashboards of this API use.
  const faults = result?.text.split("\n").filter((line) => line !== "" && !line.startsWith("mq_"));
  if (result) expect(faults).toEqual([]);
});

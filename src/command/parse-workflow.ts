import { parse } from "yaml";

/** The branches to which a push starts a workflow. */
export interface PushTrigger {
  /** Null = any branch. */
  readonly branches: readonly string[] | null;
  readonly branchesIgnore: readonly string[];
  /** True when only pushes that change certain files start it. */
  readonly filtersPaths: boolean;
}

export interface WorkflowConcurrency {
  readonly group: string;
  /** `unknown` = an expression decides. */
  readonly cancelInProgress: boolean | "unknown";
}

/** The checks of a job: one with exactly this name, those whose names begin with it, or unknown ones. */
export interface JobChecks {
  readonly name: string;
  readonly match: "exact" | "prefix" | "unknown";
}

/** When a workflow runs, and which checks it reports, as far as its file says so. */
export interface Workflow {
  readonly push: PushTrigger | null;
  readonly onPullRequest: boolean;
  /** The concurrency groups of the workflow and of its jobs. */
  readonly concurrency: readonly WorkflowConcurrency[];
  readonly jobs: readonly JobChecks[];
}

/** GitHub runs no workflow from a longer file. https://docs.github.com/en/actions/reference/limits */
const maxLength = 1_048_576;

/** Parses a workflow file. Returns null when it is not one. Never throws. */
export function parseWorkflow(text: string): Workflow | null {
  if (text.length > maxLength) return null;
  const file = mapOf(parsed(text));
  if (!file || file.on === undefined) return null;
  const events = eventsOf(file.on);
  const jobs = Object.entries(mapOf(file.jobs) ?? {}).map(([key, job]) => [key, mapOf(job) ?? {}] as const);
  return {
    push: "push" in events ? pushTrigger(mapOf(events.push)) : null,
    onPullRequest: "pull_request" in events || "pull_request_target" in events,
    concurrency: [file, ...jobs.map(([, job]) => job)].flatMap(({ concurrency }) =>
      concurrencyOf(concurrency),
    ),
    jobs: jobs.map(([key, job]) => checksOf(key, job)),
  };
}

function parsed(text: string): unknown {
  try {
    return parse(text, { maxAliasCount: 20, logLevel: "error" });
  } catch {
    return null;
  }
}

type Values = Readonly<Record<string, unknown>>;

function mapOf(value: unknown): Values | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Values) : null;
}

function eventsOf(on: unknown): Values {
  if (typeof on === "string") return { [on]: null };
  if (Array.isArray(on)) return Object.fromEntries(on.map((event) => [String(event), null]));
  return mapOf(on) ?? {};
}

/** Returns null when the workflow runs for tags only. */
function pushTrigger(filters: Values | null): PushTrigger | null {
  const given = filters ?? {};
  const names = (key: string) => (given[key] === undefined ? null : listOf(given[key]));
  const [branches, branchesIgnore] = [names("branches"), names("branches-ignore")];
  const isOfTags = given.tags !== undefined || given["tags-ignore"] !== undefined;
  if (isOfTags && branches === null && branchesIgnore === null) return null;
  const filtersPaths = given.paths !== undefined || given["paths-ignore"] !== undefined;
  return { branches, branchesIgnore: branchesIgnore ?? [], filtersPaths };
}

function listOf(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).map(String);
}

function concurrencyOf(value: unknown): WorkflowConcurrency[] {
  if (typeof value === "string") return [{ group: value, cancelInProgress: false }];
  const { group, "cancel-in-progress": cancel = false } = mapOf(value) ?? {};
  if (group === undefined) return [];
  return [{ group: String(group), cancelInProgress: typeof cancel === "boolean" ? cancel : "unknown" }];
}

/** https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax#jobsjob_idname */
function checksOf(key: string, job: Values): JobChecks {
  const name = typeof job.name === "string" ? job.name : key;
  if (name.includes("${{")) return { name, match: "unknown" };
  if (job.uses !== undefined) return { name: `${name} / `, match: "prefix" };
  const isMatrix = mapOf(job.strategy)?.matrix !== undefined;
  return isMatrix ? { name: `${name} (`, match: "prefix" } : { name, match: "exact" };
}

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "@jest/globals";
import { AppClient } from "../../../src/github/client/app-client.ts";
import { GitHubCodeHost } from "../../../src/github/github-code-host.ts";
import { type FindingCode, findingCodes, type Severity } from "../../../src/service/doctor/finding.ts";
import { createOctokit } from "../../../tools/lab/demo/authors.ts";
import type { Sandbox } from "../../../tools/sandbox/sandbox.ts";
import type { RuleOptions, RulesetOptions } from "../../../tools/sandbox/world/rules/ruleset.ts";
import { at, type Case, changedManifest, ci, examine, required, requiring, silent } from "./clinic.ts";

const directory = mkdtempSync(join(tmpdir(), "trainyard-doctor-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

function manifestWithout(line: RegExp): string {
  const path = join(directory, `${Math.random()}.yml`);
  writeFileSync(path, changedManifest(line, ""));
  return path;
}

/** An expression of GitHub Actions. */
const expression = (inside: string) => `$\{{ ${inside} }}`;

const never = (...rules: RuleOptions[]): RulesetOptions => ({ name: "strict", rules });
const own = (...rules: RuleOptions[]): RulesetOptions => ({
  name: "own",
  include: ["refs/heads/trainyard-merge/**/*"],
  rules,
});
const withRuleset = (ruleset: (slug: string) => RulesetOptions): Case => ({
  rulesets: null,
  arrange: (sandbox) => sandbox.setRulesets("acme/widgets", [ruleset(sandbox.app.slug)]),
});

type Author = Parameters<NonNullable<Case["arrange"]>>[1];

/** Opens a pull request with one commit. Returns its head. */
async function openPull(author: Author): Promise<string> {
  const { data } = await author.rest.git.getRef({ ...at, ref: "heads/main" });
  const { data: base } = await author.rest.git.getCommit({ ...at, commit_sha: data.object.sha });
  const commit = { ...at, message: "One", parents: [base.sha], tree: base.tree.sha };
  const { sha } = (await author.rest.git.createCommit(commit)).data;
  await author.rest.git.createRef({ ...at, ref: "refs/heads/one", sha });
  await author.rest.pulls.create({ ...at, head: "one", base: "main", title: "One" });
  return sha;
}

/** Opens a pull request and pushes a test branch, for both of which CI runs. */
async function testOnce(sandbox: Sandbox, author: Author): Promise<void> {
  await openPull(author);
  const { data: main } = await author.rest.git.getRef({ ...at, ref: "heads/main" });
  await author.rest.git.createRef({ ...at, ref: "refs/heads/trainyard-merge/pr-1/x", sha: main.object.sha });
  await sandbox.settled();
}

async function pushTestBranch(author: Author): Promise<void> {
  const { data } = await author.rest.git.getRef({ ...at, ref: "heads/main" });
  await author.rest.git.createRef({ ...at, ref: "refs/heads/trainyard-merge/pr-7/x", sha: data.object.sha });
}

/** Makes calls of the installation that count against its limit. */
async function spend({ app, url, host }: Sandbox, calls: number): Promise<void> {
  const client = new AppClient(
    { appId: app.id, privateKey: app.privateKey, apiUrl: `${url}/api/v3` },
    silent,
  );
  const repo = { host, owner: at.owner, name: at.repo };
  const id = await new GitHubCodeHost(client, "trainyard-temp/").findInstallation(repo);
  for (let page = 1; page <= calls; page++)
    await client.installation(id ?? 0).rest.pulls.list({ ...at, page });
}

interface Sick extends Case {
  readonly code: FindingCode;
  readonly severity: Severity;
  readonly evidence: RegExp;
  readonly fix?: RegExp;
  /** Distinguishes the fault from others with the same code in the test's name. */
  readonly as?: string;
}

const sick: readonly Sick[] = [
  {
    code: "APP_CREDENTIALS_REFUSED",
    severity: "error",
    evidence: /GET \/app answered 401/,
    appId: 4711,
  },
  {
    code: "APP_NOT_INSTALLED",
    severity: "error",
    evidence: /no installation/,
    arrange: (sandbox) => sandbox.uninstall("acme"),
  },
  {
    code: "APP_SUSPENDED",
    severity: "error",
    evidence: /on acme is suspended/,
    arrange: (sandbox) => sandbox.suspend("acme"),
  },
  {
    code: "APP_PERMISSIONS_MISSING",
    severity: "error",
    evidence: /contents: write/,
    arrange: (sandbox) => sandbox.updateApp(manifestWithout(/ {2}contents: write\n/)),
  },
  {
    code: "APP_PERMISSIONS_NOT_ACCEPTED",
    severity: "warning",
    evidence: /not granted on acme: issues: write/,
    arrange: (sandbox) => {
      sandbox.updateApp(manifestWithout(/ {2}issues: write\n/));
      sandbox.updateApp("app.yml", { accepted: false });
    },
  },
  {
    code: "APP_EVENTS_MISSING",
    severity: "warning",
    evidence: /check_suite/,
    arrange: (sandbox) => sandbox.updateApp(manifestWithout(/ {2}- check_suite\n/)),
  },
  {
    code: "WEBHOOK_ADDRESS_DIFFERS",
    severity: "warning",
    evidence: /sends them to http:\/\/127.0.0.1:9\/elsewhere/,
    sandbox: { webhookUrl: "http://127.0.0.1:9/elsewhere" },
  },
  {
    code: "WEBHOOK_ADDRESS_DIFFERS",
    as: "is not there",
    severity: "error",
    evidence: /returns no address/,
    arrange: (sandbox) => sandbox.setWebhookUrl(null),
  },
  {
    code: "WEBHOOK_DELIVERIES_FAILING",
    severity: "error",
    evidence: /of the last \d+ deliveries failed \(.*push: /,
    arrange: async (sandbox, author) => {
      await openPull(author);
      await sandbox.settled();
    },
  },
  {
    code: "REPOSITORY_ARCHIVED",
    severity: "error",
    evidence: /acme\/widgets is archived/,
    arrange: (sandbox) => sandbox.archive("acme/widgets"),
  },
  {
    code: "BRANCH_MISSING",
    severity: "error",
    evidence: /the branch release does not exist/,
    patient: { branch: "release" },
  },
  {
    code: "REPOSITORY_FILE_INVALID",
    severity: "error",
    evidence: /colour/,
    files: { ".github/trainyard.yml": "colour: red\n" },
  },
  {
    code: "REPOSITORY_FILE_INVALID",
    as: "is there twice",
    severity: "error",
    evidence: /is there twice, and \.github\/trainyard\.yaml is the other/,
    files: { ".github/trainyard.yml": "", ".github/trainyard.yaml": "forks: deny\n" },
  },
  {
    code: "REPOSITORY_FILE_UNREAD",
    severity: "warning",
    evidence: /main also has trainyard\.yml/,
    files: { ".github/trainyard.yml": "", "trainyard.yml": "forks: deny\n" },
  },
  {
    code: "UPDATES_RESTRICTED",
    severity: "error",
    evidence: /update in "strict" \(the App may not bypass it\)/,
    rulesets: () => [never("update")],
  },
  {
    code: "BYPASS_NOT_EXEMPT",
    severity: "warning",
    evidence: /update in "half" \(the App may bypass it in mode Always\)/,
    patient: { mergeMethod: "merge_commit" },
    rulesets: (slug) => [{ name: "half", rules: ["update"], bypass: [{ actor: slug, mode: "always" }] }],
  },
  {
    code: "MERGE_QUEUE_RULE",
    severity: "error",
    evidence: /merge_queue in "strict"/,
    rulesets: () => [never({ type: "merge_queue" })],
  },
  {
    code: "MERGE_QUEUE_RULE",
    as: "leaves the App out",
    severity: "warning",
    evidence: /the App is exempt/,
    rulesets: (slug) => [{ rules: [{ type: "merge_queue" }], bypass: [{ actor: slug, mode: "exempt" }] }],
  },
  {
    code: "BRANCH_LOCKED",
    severity: "error",
    evidence: /branch protection locks the branch/,
    sandbox: { appManifest: "" },
    repository: { protection: { requiredChecks: ["build"], locked: true } },
  },
  {
    code: "DEPLOYMENTS_REQUIRED",
    severity: "warning",
    evidence: /required_deployments in "strict"/,
    rulesets: () => [never({ type: "required_deployments", required_deployment_environments: ["staging"] })],
  },
  {
    code: "LINEAR_HISTORY_REQUIRED",
    severity: "error",
    evidence: /required_linear_history in "strict"/,
    patient: { mergeMethod: "merge_commit" },
    rulesets: () => [never("required_linear_history")],
  },
  {
    code: "LINEAR_HISTORY_REQUIRED",
    as: "everybody can see in branch protection",
    severity: "error",
    evidence: /branch protection requires linear history/,
    patient: { mergeMethod: "merge_commit" },
    repository: { protection: { requiredChecks: ["build"], linearHistory: true } },
  },
  {
    code: "COMMIT_MESSAGES_RESTRICTED",
    severity: "error",
    evidence: /commit_message_pattern in "strict"/,
    patient: { mergeMethod: "merge_commit" },
    rulesets: () => [never({ type: "commit_message_pattern", operator: "starts_with", pattern: "feat" })],
  },
  {
    code: "COMMIT_MESSAGES_RESTRICTED",
    as: "only an expression tells",
    severity: "warning",
    evidence: /commit_message_pattern in "strict"/,
    patient: { mergeMethod: "merge_commit" },
    rulesets: () => [never({ type: "commit_message_pattern", operator: "regex", pattern: "^(feat|fix): " })],
  },
  {
    code: "MERGE_METHOD_OFF",
    severity: "error",
    evidence: /settings do not allow it/,
    repository: { mergeMethods: ["merge"] },
  },
  {
    code: "MERGE_METHOD_OFF",
    as: "is ruled out",
    severity: "error",
    evidence: /pull_request in "strict"/,
    rulesets: () => [never({ type: "pull_request", allowed_merge_methods: ["rebase"] })],
  },
  {
    code: "SIGNATURES_REQUIRED",
    severity: "warning",
    evidence: /required_signatures in "strict"/,
    patient: { mergeMethod: "merge_commit" },
    rulesets: () => [never("required_signatures")],
  },
  {
    code: "SIGNATURES_REQUIRED",
    as: "a rebase never has",
    severity: "error",
    evidence: /required_signatures in "strict"/,
    patient: { mergeMethod: "rebase" },
    rulesets: () => [never("required_signatures")],
  },
  {
    code: "SIGNATURES_REQUIRED",
    as: "everybody can see in branch protection",
    severity: "error",
    evidence: /branch protection requires signed commits/,
    patient: { mergeMethod: "rebase" },
    repository: { protection: { requiredChecks: ["build"], signatures: true } },
  },
  {
    code: "UP_TO_DATE_REQUIRED",
    as: "an open pull request shows, while branch protection is hidden",
    severity: "error",
    evidence: /branch protection requires/,
    rulesets: null,
    arrange: async (sandbox, author) => {
      const head = await openPull(author);
      const { data } = await author.rest.git.getCommit({ ...at, commit_sha: head });
      const next = { ...at, message: "Next", parents: [data.parents[0]?.sha ?? ""], tree: data.tree.sha };
      const { sha } = (await author.rest.git.createCommit(next)).data;
      await author.rest.git.updateRef({ ...at, ref: "heads/main", sha });
      sandbox.setProtection("acme/widgets", "main", { requiredChecks: ["build"], strict: true });
      await sandbox.reportStatus("acme/widgets", { sha: head, context: "build", state: "success" });
      await author.rest.pulls.get({ ...at, pull_number: 1 });
      await sandbox.settled();
    },
  },
  {
    code: "UP_TO_DATE_REQUIRED",
    severity: "error",
    evidence: /required_status_checks in "strict"/,
    rulesets: () => [
      never({
        type: "required_status_checks",
        strict_required_status_checks_policy: true,
        required_status_checks: [{ context: "build" }],
      }),
    ],
  },
  {
    code: "UP_TO_DATE_REQUIRED",
    as: "is told by branch protection",
    severity: "error",
    evidence: /branch protection requires/,
    sandbox: { appManifest: "" },
    repository: { protection: { requiredChecks: ["build"], strict: true } },
  },
  {
    code: "OWN_CHECK_REQUIRED",
    severity: "error",
    evidence: /"Trainyard \(main\)" is required by required_status_checks in "strict"/,
    rulesets: () => [never(required("build", "Trainyard (main)"))],
  },
  {
    code: "OWN_CHECK_REQUIRED",
    as: "by its name before the branch was renamed",
    severity: "error",
    evidence: /"Trainyard \(trunk\)" is required by required_status_checks in "strict"/,
    rulesets: () => [never(required("build", "Trainyard (trunk)"))],
    arrange: async (sandbox) => {
      await sandbox.renameBranch("acme/widgets", "main", "trunk");
      await sandbox.renameBranch("acme/widgets", "trunk", "main");
    },
  },
  {
    code: "OWN_CHECK_REQUIRED",
    as: "binds people only",
    severity: "note",
    evidence: /the App is exempt/,
    ...withRuleset((slug) => requiring(slug, "build", "Trainyard (main)")),
  },
  {
    code: "REVIEWS_DISMISSED_ON_PUSH",
    severity: "note",
    evidence: /pull_request in "strict"/,
    rulesets: () => [never({ type: "pull_request", dismiss_stale_reviews_on_push: true })],
  },
  {
    code: "OWN_BRANCHES_NOT_CREATABLE",
    severity: "error",
    evidence: /creation in "own"/,
    rulesets: () => [own("creation")],
  },
  {
    code: "OWN_BRANCH_NAMES_REFUSED",
    severity: "error",
    evidence: /trainyard-merge\/pr-1\/.* breaks branch_name_pattern in "own"/,
    rulesets: () => [own({ type: "branch_name_pattern", operator: "starts_with", pattern: "feature/" })],
  },
  {
    code: "OWN_BRANCHES_RESTRICTED",
    severity: "error",
    evidence: /pull_request in "own"/,
    rulesets: () => [own({ type: "pull_request" })],
  },
  {
    code: "OWN_BRANCHES_RESTRICTED",
    as: "forbids the merge commits there",
    severity: "error",
    evidence: /required_linear_history in "strict"/,
    rulesets: () => [{ ...never("required_linear_history"), include: ["~ALL"] }],
  },
  {
    code: "OWN_BRANCHES_RESTRICTED",
    as: "forbids the messages there",
    severity: "error",
    evidence: /commit_message_pattern in "strict"/,
    rulesets: () => [
      {
        ...never({ type: "commit_message_pattern", operator: "starts_with", pattern: "feat" }),
        include: ["~ALL"],
      },
    ],
  },
  {
    code: "OWN_BRANCHES_RESTRICTED",
    as: "only leaves branches behind",
    severity: "warning",
    evidence: /deletion in "own"/,
    rulesets: () => [own("deletion")],
  },
  {
    code: "OWN_BRANCH_OBSTRUCTED",
    severity: "error",
    evidence: /^trainyard-temp$/,
    arrange: async (_sandbox, author) => {
      const { data } = await author.rest.git.getRef({ ...at, ref: "heads/main" });
      await author.rest.git.createRef({ ...at, ref: "refs/heads/trainyard-temp", sha: data.object.sha });
    },
  },
  { code: "PLAN_WITHOUT_RULES", severity: "note", evidence: /403/, repository: { plan: "free" } },
  {
    code: "PROTECTION_HIDDEN",
    severity: "note",
    evidence: /Administration/,
    repository: { protection: { requiredChecks: ["build"] } },
  },
  {
    code: "NO_REQUIRED_CHECKS",
    severity: "error",
    evidence: /the branch's rules name no check/,
    rulesets: null,
  },
  {
    code: "REQUIRED_CHECK_NOT_ON_PUSH",
    severity: "warning",
    evidence: /DCO: no workflow/,
    ...withRuleset((slug) => requiring(slug, "build", "DCO")),
  },
  {
    code: "REQUIRED_CHECK_NOT_ON_PUSH",
    as: "is named as pages show it",
    severity: "warning",
    evidence: /CI \/ build: no workflow/,
    fix: /require build instead of CI \/ build\.$/,
    patient: { requiredStatuses: ["CI / build"] },
  },
  {
    code: "REQUIRED_CHECK_NOT_ON_PUSH",
    as: "reports on pull requests",
    severity: "error",
    evidence: /DCO reported on pull requests only/,
    rulesets: null,
    arrange: async (sandbox, author) => {
      sandbox.setRulesets("acme/widgets", [requiring(sandbox.app.slug, "build", "DCO")]);
      const sha = await openPull(author);
      await sandbox.reportStatus("acme/widgets", { sha, context: "DCO", state: "success" });
      await sandbox.settled();
    },
  },
  {
    code: "REQUIRED_CHECK_UNBOUND",
    severity: "note",
    evidence: /the branch's rules name DCO without an App/,
    ...withRuleset((slug) => requiring(slug, "build", "DCO")),
  },
  {
    code: "DIRECT_MERGE_POSSIBLE",
    severity: "note",
    evidence: /^build, test reported on the last pull requests, and on 1 test commit$/,
    arrange: testOnce,
  },
  {
    code: "CI_NOT_LISTENING",
    severity: "error",
    evidence: /none of \.github\/workflows\/ci\.yml runs on a push to trainyard-merge\/\*\*/,
    workflows: [{ ...ci, on: { push: { branches: ["main"] }, pull_request: {} } }],
  },
  {
    code: "CI_NOT_LISTENING",
    as: "is nowhere",
    severity: "warning",
    evidence: /main has no workflow files/,
    workflows: [],
  },
  {
    code: "CI_STARTS_TWICE",
    severity: "warning",
    evidence: /ci\.yml has the triggers pull_request, and push without/,
    workflows: [{ name: "CI", jobs: ["build", "test"] }],
  },
  {
    code: "CI_CANCELS_ITSELF",
    severity: "error",
    evidence: /group "tests" in/,
    workflows: [{ ...ci, concurrency: { group: "tests", cancelInProgress: true } }],
  },
  {
    code: "CI_CANCELS_ITSELF",
    as: "is by an expression that is empty on pushes",
    severity: "error",
    evidence: /github\.head_ref/,
    workflows: [
      {
        ...ci,
        concurrency: {
          group: `${expression("github.workflow")}-${expression("github.head_ref")}`,
          cancelInProgress: true,
        },
      },
    ],
  },
  {
    code: "CI_FILTERS_PATHS",
    severity: "warning",
    evidence: /build, test of \.github\/workflows\/ci\.yml/,
    workflows: [{ ...ci, on: { push: { branches: ["trainyard-merge/**"], paths: ["src/**"] } } }],
  },
  {
    code: "WORKFLOW_NOT_READABLE",
    severity: "note",
    evidence: /odd\.yml: not YAML/,
    files: { ".github/workflows/odd.yml": "on: [push\n" },
  },
  {
    code: "FORKS_RUN_WITH_SECRETS",
    severity: "note",
    evidence: /deploy\.yml uses secrets/,
    files: {
      ".github/workflows/deploy.yml": `on: { push: { branches: ['trainyard-merge/**'] } }\njobs: { e2e: { env: { KEY: '${expression("secrets.KEY")}' } } }\n`,
    },
  },
  {
    code: "AUTO_MERGE_ON",
    severity: "warning",
    evidence: /allow auto-merge/,
    repository: { allowAutoMerge: true },
  },
  {
    code: "BRANCH_NAME_RESERVED",
    severity: "warning",
    evidence: /trainyard-merge\/pr-7\/x by alice/,
    arrange: (_sandbox, author) => pushTestBranch(author),
  },
  {
    code: "SECOND_SERVICE",
    as: "pushes test branches",
    severity: "error",
    evidence: /trainyard-merge\/pr-7\/x by other\[bot\]/,
    arrange: (sandbox) => {
      const { token } = sandbox.createUser({ login: "other[bot]", permission: "write" });
      return pushTestBranch(createOctokit(sandbox.url, token));
    },
  },
  {
    code: "SECOND_SERVICE",
    as: "reports our check",
    severity: "error",
    evidence: /the App \d+ reports the check "Trainyard \(main\)"/,
    workflows: [ci, { name: "Other", jobs: ["Trainyard (main)"], on: { pull_request: {} } }],
    arrange: async (sandbox, author) => {
      await openPull(author);
      await sandbox.settled();
    },
  },
  {
    code: "OLDER_INSTANCE",
    severity: "error",
    evidence: /^an older service/,
    patient: { olderInstance: "an older service with the same App works here" },
  },
  {
    code: "DATABASE_DAMAGED",
    severity: "error",
    evidence: /^Tree 8 page 40/,
    patient: { databaseDamage: "Tree 8 page 40: btreeInitPage() returns error code 11" },
  },
  { code: "CLOCK_SKEW", severity: "warning", evidence: /3\d s ahead of/, clockAheadMs: 35_000 },
  { code: "CLOCK_SKEW", as: "is late", severity: "error", evidence: /s behind/, clockAheadMs: -120_000 },
  {
    code: "API_VERSION_UNKNOWN",
    severity: "warning",
    evidence: /Enterprise Server 3\.12\.4/,
    sandbox: { enterpriseVersion: "3.12.4" },
  },
  {
    code: "CALL_BUDGET_LOW",
    severity: "warning",
    evidence: /of 200 calls are left/,
    sandbox: { callsPerHour: 200 },
    arrange: (sandbox) => spend(sandbox, 165),
  },
];

test("doctor finds nothing in a repository without faults", async () => {
  const { findings, unexamined } = await examine({});
  expect(findings).toEqual([]);
  expect(unexamined).toEqual([]);
});

describe("doctor finds", () => {
  const named = sick.map((one) => [`${one.code}${one.as ? `, which ${one.as}` : ""}`, one] as const);
  test.each(named)("%s", async (_name, { code, severity, evidence, fix = /^/, ...one }) => {
    const { findings } = await examine(withAdministration(one));
    const found = findings.find((finding) => finding.code === code);
    expect(found).toMatchObject({ severity, evidence: expect.stringMatching(evidence) });
    for (const text of [found?.title, found?.cause, found?.fix.text]) expect(text).toMatch(/^\S.{10,}/);
    expect(found?.fix.text).toMatch(fix);
    expect(found?.fix.url ?? "http://").toMatch(/^https?:\/\//);
  });
});

/** Lets the App read branch protection if the case asks for it. */
function withAdministration(one: Case): Case {
  if (one.sandbox?.appManifest !== "") return one;
  const path = join(directory, "administration.yml");
  writeFileSync(
    path,
    changedManifest("default_permissions:\n", "default_permissions:\n  administration: read\n"),
  );
  return { ...one, sandbox: { ...one.sandbox, appManifest: path } };
}

test("doctor has a test for every finding code", () => {
  expect(new Set(sick.map(({ code }) => code))).toEqual(new Set(findingCodes));
});

test("docs/reference/doctor.md lists every finding of doctor once, with its severities", () => {
  const rows = [
    ...readFileSync("docs/reference/doctor.md", "utf8").matchAll(/^\| `([A-Z_]+)` \| ([a-z, ]+) \|/gm),
  ];
  expect(rows.map(([, code]) => code).toSorted()).toEqual([...findingCodes].sort());
  for (const { code, severity } of sick)
    expect(rows.find(([, name]) => name === code)?.[2]?.split(", ")).toContain(severity);
});

test.each([
  ["merge commits, which it names", "merge_commit", "^(feat: |Merge )"],
  ["what is squashed, whose authors follow it", "squash", "^feat: "],
] as const)("doctor does not warn of a rule about messages for %s", async (_what, mergeMethod, pattern) => {
  const rule = { type: "commit_message_pattern", operator: "regex", pattern } as const;
  const { findings } = await examine({ patient: { mergeMethod }, rulesets: () => [never(rule)] });
  expect(findings).toEqual([]);
});

test.each([
  ["merges them so already", { patient: { directMergeMode: "always" } }],
  [
    "runs a required check on test branches only",
    {
      workflows: [
        { ...ci, jobs: ["build"] },
        { name: "More", on: { push: { branches: ["trainyard-merge/**"] } }, jobs: ["test"] },
      ],
    },
  ],
] as const)("doctor does not recommend direct merges to a queue that %s", async (_what, one: Case) => {
  const { findings } = await examine({ ...one, arrange: testOnce });
  expect(findings.map(({ code }) => code)).not.toContain("DIRECT_MERGE_POSSIBLE");
});

test("doctor finds only the fault that a repository has", async () => {
  const { findings } = await examine({ repository: { allowAutoMerge: true } });
  expect(findings.map(({ code }) => code)).toEqual(["AUTO_MERGE_ON"]);
});

test.each([
  [
    "a group that an expression decides",
    {
      workflows: [
        {
          ...ci,
          concurrency: { group: expression("github.head_ref || github.run_id"), cancelInProgress: true },
        },
      ],
    },
    [],
  ],
  [
    "a group of variables",
    {
      files: {
        ".github/workflows/more.yml": `on: push\nconcurrency: { group: '${expression("vars.GROUP")}', cancel-in-progress: true }\njobs: { a: {} }\n`,
      },
    },
    ["CI_CANCELS_ITSELF"],
  ],
  [
    "a job of a matrix that is called like the service",
    {
      workflows: [{ ...ci, jobs: ["build", "Trainyard (20)"] }],
      ...withRuleset((slug) => requiring(slug, "build", "Trainyard (20)")),
    },
    [],
  ],
  [
    "a check of a reusable workflow",
    {
      ...withRuleset((slug) => requiring(slug, "build", "shared / lint")),
      files: {
        ".github/workflows/shared.yml":
          "on: push\njobs: { shared: { uses: acme/ci/.github/workflows/x.yml@v1 } }\n",
      },
    },
    ["REQUIRED_CHECK_NOT_ON_PUSH"],
  ],
] as const)(
  "doctor names what it cannot examine of %s",
  async (_what, one: Case, codes: readonly string[]) => {
    const { findings, unexamined } = await examine(one);
    expect(findings.filter(({ severity }) => severity !== "note")).toEqual([]);
    expect(unexamined.map(({ code }) => code)).toEqual(codes);
  },
);

test("doctor names what GitHub does not answer, and examines the rest", async () => {
  const { findings, unexamined } = await examine({
    repository: { allowAutoMerge: true },
    sandbox: { faults: { rates: { "repos/get-branch-rules": 1 }, kinds: { "502": 1 } } },
  });
  expect(findings.map(({ code }) => code)).toContain("AUTO_MERGE_ON");
  expect(unexamined.map(({ code }) => code)).toContain("UPDATES_RESTRICTED");
});

import { examination, list } from "./finding.ts";

/** Findings about the service and about GitHub itself. */

const secondService = examination(
  "SECOND_SERVICE",
  ["app", "heads", "testBranches", "repository"],
  ({ app, heads, testBranches, repository }, { ownBranches }) => {
    if (app.kind !== "read") return null;
    const ours = `${app.slug}[bot]`;
    const checks = heads.checks.filter(
      ({ name, appId }) => name.startsWith("Trainyard (") && appId !== null && appId !== app.id,
    );
    const branches = testBranches.filter(({ by }) => by !== null && isApp(by) && by !== ours);
    if (checks.length === 0 && branches.length === 0) return null;
    return {
      severity: "error",
      title: "Another service works on this repository",
      cause: "Two queues test and merge without knowing of each other, and remove each other's branches.",
      evidence: [
        ...checks.map(({ name, appId }) => `the App ${appId} reports the check "${name}"`),
        ...(branches.length > 0
          ? [`${list(branches.map(({ name, by }) => `${name} by ${by}`))} below ${ownBranches.testPrefix}`]
          : []),
      ].join("; "),
      fix: {
        text: "Uninstall one of the two Apps from the repository, or give each its own TRAINYARD_TEST_BRANCH_PREFIX and branches to merge into.",
        url: `${repository.url}/settings/installations`,
      },
    };
  },
);

const reservedNames = examination(
  "BRANCH_NAME_RESERVED",
  ["testBranches", "repository"],
  ({ testBranches, repository }, { ownBranches }) => {
    const branches = testBranches.filter(({ by }) => by !== null && !isApp(by));
    if (branches.length === 0) return null;
    return {
      severity: "warning",
      title: "A person's branch has a name that is reserved for Trainyard",
      cause: "CI tests such a branch like a test branch, and the queue refuses its pull request.",
      evidence: `${list(branches.map(({ name, by }) => `${name} by ${by}`))} below ${ownBranches.testPrefix}`,
      fix: {
        text: "Rename the branch, or give Trainyard another TRAINYARD_TEST_BRANCH_PREFIX.",
        url: `${repository.url}/branches`,
      },
    };
  },
);

/** GitHub ends the logins of Apps so, which no person's login can. */
function isApp(login: string): boolean {
  return login.endsWith("[bot]");
}

const olderInstance = examination("OLDER_INSTANCE", [], (_facts, { olderInstance }) =>
  olderInstance === null
    ? null
    : {
        severity: "error",
        title: "An older service uses the same App",
        cause: "Both would answer commands, test and merge. This one, the younger, writes nothing here.",
        evidence: olderInstance,
        fix: {
          text: "Stop one of the two services. If it is the older one, this one continues after an hour.",
          url: null,
        },
      },
);

const databaseDamaged = examination("DATABASE_DAMAGED", [], (_facts, { databaseDamage }) =>
  databaseDamage === null
    ? null
    : {
        severity: "error",
        title: "The database's file is damaged",
        cause: "Queues stop whose data cannot be read, and writes may damage more.",
        evidence: databaseDamage,
        fix: {
          text: "Stop the service, look for faults of the disk, and restore the last backup (docs/how-to/backup.md).",
          url: null,
        },
      },
);

const tolerableMs = 10_000;
/** At this skew or more, GitHub refuses the App's signatures. */
const refusedMs = 60_000;

const clockSkew = examination("CLOCK_SKEW", ["server"], ({ server }, { serverAskedAt: { from, to } }) => {
  if (server.date === null) return { unknown: "GitHub did not send its time" };
  // GitHub's time has a resolution of whole seconds.
  const [ahead, behind] = [from - (server.date + 1000), server.date - to];
  const skewMs = Math.max(ahead, behind);
  if (skewMs < tolerableMs) return null;
  return {
    severity: skewMs >= refusedMs ? "error" : "warning",
    title: "This machine's clock is wrong",
    cause:
      "The App signs requests with this machine's time, and GitHub refuses them if it is far off. The queue also compares GitHub's times with its own to recognise old commands.",
    evidence: `it is ${Math.round(skewMs / 1000)} s ${ahead > behind ? "ahead of" : "behind"} GitHub's`,
    fix: {
      text: "Synchronise the clock of the machine that runs Trainyard, for instance with chrony.",
      url: null,
    },
  };
});

const knownVersions = ["2022-11-28", "2026-03-10"];
/** The oldest supported GitHub Enterprise Server. */
const oldestServer = [3, 17] as const;

const apiVersionUnknown = examination("API_VERSION_UNKNOWN", ["server"], ({ server }) => {
  const { apiVersion, enterpriseVersion } = server;
  const isUnknown = apiVersion !== null && !knownVersions.includes(apiVersion);
  if (!isUnknown && !(enterpriseVersion !== null && isOlder(enterpriseVersion))) return null;
  return {
    severity: "warning",
    title: "Trainyard does not support this version of GitHub",
    cause: "GitHub's answers may lack fields that Trainyard needs.",
    evidence: isUnknown
      ? `GitHub answers in the REST version ${apiVersion}; Trainyard knows ${knownVersions.join(" and ")}`
      : `it is GitHub Enterprise Server ${enterpriseVersion}; Trainyard supports ${oldestServer.join(".")} or later`,
    fix: { text: isUnknown ? "Update Trainyard." : "Update the GitHub Enterprise Server.", url: null },
  };
});

function isOlder(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [oldMajor, oldMinor] = oldestServer;
  return major < oldMajor || (major === oldMajor && minor < oldMinor);
}

const lowShare = 0.2;

const budgetLow = examination("CALL_BUDGET_LOW", ["budget"], ({ budget }) => {
  if (budget === null || budget.remaining >= budget.limit * lowShare) return null;
  const { limit, remaining, resetAt } = budget;
  return {
    severity: remaining === 0 ? "error" : "warning",
    title: "Few calls to GitHub are left this hour",
    cause: "When no calls are left, the queue waits until GitHub permits calls again.",
    evidence: `${remaining} of ${limit} calls are left until ${new Date(resetAt).toISOString().slice(0, 16)}Z`,
    fix: {
      text: "Find out what else uses this App's installation, and raise TRAINYARD_RECONCILE_MS.",
      url: null,
    },
  };
});

export const surroundingExaminations = [
  secondService,
  reservedNames,
  olderInstance,
  databaseDamaged,
  clockSkew,
  apiVersionUnknown,
  budgetLow,
];

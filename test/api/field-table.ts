/** The values that a field of a request accepts. `required` repeats the contract. */
export interface Field {
  /** The path as in validation errors, without array indexes. */
  readonly path: string;
  /**
   * The endpoints that this row is for, if they differ from the other endpoints with this field; by default
   * all others.
   */
  readonly of?: readonly string[];
  readonly required: boolean;
  readonly accepted: readonly unknown[];
  readonly refused: readonly unknown[];
}

export const most = 4_294_967_295;
const sha = "a".repeat(40);
const uuid = "aad1f138-09ab-5ea9-9c21-af48a03d6edd";
const noText = [0, 1.5, true, null, [], {}];
const noObject = [0, "acme/widgets", true, null, []];

const text = (path: string, accepted: readonly string[], refused: readonly string[]): Field => ({
  path,
  required: true,
  accepted,
  refused: [...refused, ...noText],
});

const optional = (field: Field, ...of: string[]): Field => ({
  ...field,
  required: false,
  ...(of.length > 0 ? { of } : {}),
});

const object = (path: string): Field => ({ path, required: true, accepted: [], refused: noObject });

const words = (path: string, ...all: string[]): Field => ({
  path,
  required: false,
  accepted: all.flatMap((word) => [word, word.toUpperCase()]),
  refused: ["", "nonsense", ...all.map((word) => ` ${word}`), ...noText],
});

const toggle = (path: string): Field => ({
  path,
  required: false,
  accepted: [true, false],
  refused: [0, 1, "true", "", null, [], {}],
});

const count = (path: string, least: number, greatest: number): Field => ({
  path,
  required: false,
  accepted: [least, least + 1, greatest],
  refused: [least - 1, greatest + 1, -1, 1.5, String(least), "", "many", true, null, [], {}],
});

/** A setting that null resets to its default. */
const resettable = (field: Field): Field => ({
  ...field,
  accepted: [...field.accepted, null],
  refused: field.refused.filter((value) => value !== null),
});

const share = (path: string, least: number): Field => ({
  path,
  required: false,
  accepted: [least, 0.5, 1],
  refused: [least - 0.001, 1.001, "0.5", "", true, [], {}],
});

const number: Omit<Field, "path"> = {
  required: true,
  accepted: [1, 12, most, "1", String(most)],
  refused: [
    0,
    most + 1,
    -1,
    1.5,
    "0",
    "01",
    "-1",
    "1.5",
    String(most + 1),
    "",
    " 1",
    "twelve",
    "1e3",
    true,
    null,
    [],
    {},
  ],
};

const names = ["A", "acme", "ACME", "a-b_c.d", "x".repeat(100)];
const noNames = ["", ".", "..", "a/b", "a b", "ä", "x".repeat(101)];
const branches = ["main", "release/1.x", "ünï", "x".repeat(255)];
const noBranches = [
  "",
  " ",
  "a b",
  "a..b",
  "a~b",
  "a^b",
  "a:b",
  "a?b",
  "a*b",
  "a[b",
  "a\\b",
  "a\0b",
  "\ud800",
  "x".repeat(256),
];
const hex = ["", "xyz", `${sha}0`, "0x1234567"];
const branch = text("branch", branches, noBranches);
const event = {
  accepted: [["*"], ["pull_request.*", "pull_request.merged"]],
  refused: [[], ["nonsense"], [""], [1], "*", ...noText],
};

/**
 * Every field of every request. `queue-settings.test.ts` also tests the settings of a queue and their
 * effects.
 */
export const fields: readonly Field[] = [
  object("repo"),
  optional(object("repo"), "listAuditLog"),
  text(
    "repo.host",
    ["github.com", "GitHub.com", "127.0.0.1:8080", "x".repeat(253)],
    ["", " ", "a b", "https://github.com", "a/b", "x".repeat(254)],
  ),
  text("repo.owner", names, noNames),
  text("repo.name", names, noNames),
  { ...branch, path: "targetBranch" },
  object("pr"),
  { ...number, path: "pr.number" },
  optional({ ...number, path: "pr.number" }, "getSubmittedPullRequest", "explainPullRequest"),
  optional({ ...branch, path: "pr.branch" }),
  optional(
    text("pr.sha", [sha, sha.toUpperCase(), "0".repeat(64)], [...hex, "a".repeat(39), "main"]),
    "setImpactedTargets",
  ),
  optional(
    text("pr.sha", [sha, sha.toUpperCase(), "0".repeat(64)], [...hex, "a".repeat(39), "main"]),
    "submitPullRequest",
    "tryPullRequest",
  ),
  {
    path: "prs",
    required: true,
    accepted: [[{ number: 1 }], Array.from({ length: 50 }, (_, index) => ({ number: index + 1 }))],
    refused: [[], Array.from({ length: 51 }, (_, index) => ({ number: index + 1 })), {}, 1, "1", null],
  },
  { ...number, path: "prs.number" },
  {
    path: "priority",
    required: false,
    accepted: [0, 10, most, "urgent", "HIGH", "medium", "low", "0", "12", String(most), null],
    refused: [-1, 1.5, most + 1, String(most + 1), "", "soon", "-1", "1.5", "1e3", true, [], {}],
  },
  toggle("noBatch"),
  optional(
    text("commitTitle", ["Add widgets", "x".repeat(250)], ["", " ", "x".repeat(251), "a\nb", "a\u0007"]),
  ),
  optional(
    text(
      "commitMessage",
      ["One.\r\n\n\tTwo.", "x".repeat(20_000)],
      ["", "x".repeat(20_001), "a\u0000", "\ud800"],
    ),
  ),
  {
    ...text("sha", [sha, sha.toUpperCase(), "0".repeat(64)], [...hex, "a".repeat(39), "main"]),
    of: ["proveCommit"],
  },
  optional(text("seenHead", [sha, sha.toUpperCase()], [...hex, "a".repeat(39)])),
  optional(object("actor")),
  optional(text("actor", ["alice", ""], []), "listAuditLog"),
  text("actor.login", ["a", "x".repeat(255)], ["", "x".repeat(256)]),
  optional(text("actor.permission", ["", "write", "x".repeat(100)], ["x".repeat(101)])),
  optional(text("actor.reason", ["", "because", "x".repeat(200)], ["x".repeat(201)])),
  words("via", "comment", "label", "api", "action"),
  {
    path: "impactedTargets",
    required: true,
    accepted: ["ALL", "IMPACTS_ALL", [], [""], ["//a", "//a"], ["x".repeat(4_096)]],
    refused: [
      "",
      "all",
      "//a",
      0,
      1.5,
      true,
      null,
      {},
      [0],
      [null],
      ["a\0b"],
      ["x".repeat(4_097)],
      [["//a"]],
    ],
  },
  optional(
    text(
      "testRunId",
      ["0b24a36b-1a6b-4f2e-9f0e-6a1d8c6a4e11", "0B24A36B-1A6B-4F2E-9F0E-6A1D8C6A4E11-bisection-2"],
      ["", "0b24a36b", "0b24a36b-1a6b-4f2e-9f0e-6a1d8c6a4e1g", "0b24a36b-1a6b-4f2e-9f0e-6a1d8c6a4e11-x"],
    ),
  ),
  {
    ...words(
      "state",
      "not_ready",
      "pending",
      "testing",
      "tests_passed",
      "merged",
      "failed",
      "cancelled",
      "pending_failure",
    ),
    of: ["listPullRequests"],
  },
  { ...words("state", "waiting", "delivered", "parked"), of: ["listWebhookDeliveries"] },
  { ...words("state", "running", "paused", "draining"), of: ["createQueue", "updateQueue"] },
  ...["since", "until"].map((path) =>
    optional(
      text(
        path,
        [
          "2026-01-31T12:00:00.000Z",
          "2026-01-31T12:00:00Z",
          "2026-01-31T12:00:00+02:00",
          "1970-01-01T00:00:00Z",
        ],
        ["", "yesterday", "2026-01-31", "2026-02-30T12:00:00Z", "2026-01-31T25:00:00Z", "1769860800"],
      ),
    ),
  ),
  optional(
    text("cursor", [Buffer.from("[1769860800000,7]").toString("base64url")], ["", "x", "W10", "MQ"]),
    "listPullRequests",
    "listAuditLog",
  ),
  optional(text("cursor", ["0", "4711"], ["", "x", "-1", "1.5", "1".repeat(16)]), "listWebhookDeliveries"),
  count("take", 1, 100),
  words("mode", "single", "parallel"),
  words("policy", "fixed", "adaptive", "beliefs"),
  count("concurrency", 1, most),
  count("bisectionConcurrency", 1, most),
  count("testingTimeoutMinutes", 1, most),
  words("testingTimeout", "fixed", "auto"),
  count("missingCheckMinutes", 0, most),
  count("flakyRetries", 0, 3),
  toggle("cancelObsoleteRuns"),
  count("pendingFailureDepth", 0, most),
  toggle("canOptimisticallyMerge"),
  toggle("batch"),
  count("batchingMaxWaitTimeMinutes", 1, most),
  count("batchingMinSize", 1, most),
  words("batchSizing", "minimum", "by_load"),
  count("priorityMaxWaitTimeMinutes", 1, most),
  count("reviewGraceMinutes", 0, most),
  toggle("commentsEnabled"),
  toggle("commandsEnabled"),
  count("notReadyTimeoutHours", 1, most),
  toggle("labelCommandsEnabled"),
  {
    path: "enqueueingLabel",
    required: false,
    accepted: ["merge", "x".repeat(100), null],
    refused: ["", "x".repeat(101), 0, true, [], {}],
  },
  {
    path: "stateLabelsEnabled",
    required: false,
    accepted: [true, false, null],
    refused: [0, "true", [], {}],
  },
  {
    path: "allowedBotSubmitters",
    required: false,
    accepted: [[], ["renovate[bot]", "29139614"]],
    refused: ["renovate", 0, null, {}, [""], [0], ["x".repeat(101)], Array(101).fill("x")],
  },
  { path: "extensionEnabled", required: false, accepted: [false], refused: [true, 0, "", null, [], {}] },
  { path: "batchingRules", required: false, accepted: [[]], refused: [[{}], [0], "", 0, true, null, {}] },
  {
    path: "testBranchConstructionMode",
    required: false,
    accepted: ["push_new_branch_from_temp"],
    refused: ["rename_temp_branch", "", 0, true, null, [], {}],
  },
  toggle("submitByAutoMerge"),
  toggle("createPrsForTestingBranches"),
  toggle("statusCheckEnabled"),
  toggle("publicPage"),
  toggle("deleteRequiredStatuses"),
  {
    path: "requiredStatuses",
    required: false,
    accepted: [[], ["build"], ["CI (pr)", "test"], ["x".repeat(1_024)], Array(1_000).fill("x")],
    refused: [
      "build",
      0,
      true,
      null,
      {},
      [""],
      [0],
      [null],
      ["a\0b"],
      ["x".repeat(1_025)],
      Array(1_001).fill("x"),
    ],
  },
  {
    path: "acceptFromHead",
    required: false,
    accepted: [[], ["build"], ["CI (pr)", "test"], ["x".repeat(1_024)], Array(1_000).fill("x")],
    refused: [
      "build",
      0,
      true,
      null,
      {},
      [""],
      [0],
      [null],
      ["a\0b"],
      ["x".repeat(1_025)],
      Array(1_001).fill("x"),
    ],
  },
  words("directMergeMode", "off", "always"),
  words("optimizationMode", "off", "bisection_skip_redundant_tests"),
  words("mergeMethod", "merge_commit", "squash", "rebase"),
  words("mergeBy", "auto", "async_api"),
  optional(text("action", ["submitPullRequest", ""], [])),
  { ...text("url", ["https://hooks.example/1"], ["x".repeat(2_049)]), of: ["createWebhook"] },
  optional(text("url", ["https://hooks.example/1"], ["x".repeat(2_049)]), "updateWebhook"),
  { path: "events", required: false, ...event },
  optional(text("description", ["", "x".repeat(200)], ["x".repeat(201)])),
  words("format", "json", "slack", "teams"),
  text("id", ["no-such", "x".repeat(100)], ["", "x".repeat(101)]),
  toggle("enabled"),
  toggle("rotateSecret"),
  text("org_url_slug", ["acme", "ACME", "other", "x".repeat(100)], ["", "x".repeat(101)]),
  object("page_query"),
  { ...count("page_query.page_size", 1, 100), required: true },
  optional(text("page_query.page_token", ["", "nonsense", "x".repeat(200)], ["x".repeat(201)])),
  { ...words("status", "flaky", "broken"), of: ["listUnhealthyTests"] },
  text("start", ["2026-03-01T00:00:00Z", "2026-02-25T00:00:00.000Z"], ["", "yesterday", "2026-03-01"]),
  text(
    "end",
    ["2026-03-01T00:00:00.001Z", "2026-03-08T00:00:00Z"],
    ["", "tomorrow", "2026-03-01T00:00:00Z", "2026-02-28T00:00:00Z", "2026-03-08T00:00:00.001Z"],
  ),
  // The example also has the other name of the field; both must be equal.
  optional(text("start_time", ["2026-03-01T00:00:00Z"], ["", "2026-03-01T00:00:01Z"])),
  optional(text("end_time", ["2026-03-02T00:00:00Z"], ["", "2026-03-02T00:00:01Z"])),
  text(
    "test_id",
    ["aad1f138-09ab-5ea9-9c21-af48a03d6edd", "AAD1F138-09AB-5EA9-9C21-AF48A03D6EDD"],
    ["", "nonsense", "aad1f138-09ab-5ea9-9c21-af48a03d6edg"],
  ),
  ...["head_sha", "tree_sha"].map((path) =>
    text(path, [sha, sha.toUpperCase(), "0".repeat(64)], [...hex, "a".repeat(39), "main"]),
  ),
  branch,
  optional(text("base_branch", branches, noBranches)),
  optional(text("base_sha", [sha, sha.toUpperCase(), "0".repeat(64)], [...hex, "a".repeat(39), "main"])),
  {
    ...words("kind", "pr"),
    required: true,
    accepted: ["pr", "stable", "queue", "unknown"],
    refused: ["", "PR", "main", ...noText],
  },
  optional(object("pr"), "uploadTestResults"),
  text("run_id", ["1", "17001234567", "x".repeat(100)], ["", "x".repeat(101)]),
  count("run_attempt", 1, 10_000),
  text("job", ["test", "x".repeat(255)], ["", "x".repeat(256)]),
  optional(text("workflow", ["", "CI", "x".repeat(255)], ["x".repeat(256)])),
  optional(text("variant", ["", "linux", "x".repeat(64)], ["x".repeat(65)])),
  optional(text("step", ["", "unit"], ["x".repeat(101)])),
  { ...toggle("step_failed"), required: true },
  toggle("quarantine"),
  count("expected_reports", 0, 10_000),
  {
    path: "reports",
    required: true,
    accepted: [[], Array(10_000).fill({ path: "a.xml", content: "" })],
    refused: [Array(10_001).fill({ path: "a.xml", content: "" }), {}, "<testsuite/>", 1, null],
  },
  text("reports.path", ["a.xml", "x".repeat(1_000)], ["", "x".repeat(1_001)]),
  {
    ...words("reports.encoding"),
    accepted: ["text", "gzip", "zstd"],
    refused: ["", "TEXT", "br", ...noText],
  },
  text("reports.content", ["", "<testsuite/>", "no XML"], []),
  ...["test_case_id", "quarantines.test_case_id"].map((path) =>
    text(path, [uuid, uuid.toUpperCase()], ["", "turns", uuid.slice(1)]),
  ),
  ...["quarantine_setting", "quarantines.quarantine_setting"].map((path) => ({
    ...words(path),
    required: true,
    accepted: ["ALWAYS_QUARANTINE", "NEVER_QUARANTINE", "AUTO_QUARANTINE"],
    refused: ["", "ALWAYS", "always_quarantine", ...noText],
  })),
  { ...optional(text("reason", ["", "CI is down"], ["x".repeat(201)])), of: ["updateQueue"] },
  ...["reason", "quarantines.reason"].map((path) =>
    optional(text(path, ["", "x".repeat(500)], ["x".repeat(501)])),
  ),
  optional(text("owner", ["@acme/widgets", "x".repeat(255)], ["", "x".repeat(256)])),
  optional(
    text("expires_at", ["2026-01-31T12:00:00.000Z", "2999-01-31T12:00:00Z"], ["", "tomorrow", "2026-01-31"]),
  ),
  text(
    "external_ticket_id",
    ["", "https://tickets.acme.example/W-12", "http://t/1"],
    ["W-12", "javascript:alert(1)", "https://a b", `https://${"x".repeat(2_048)}`],
  ),
  {
    path: "quarantines",
    required: true,
    accepted: [[]],
    refused: ["", 1, null, {}],
  },
  text("quarantines.name", ["", "turns"], ["x".repeat(20_001)]),
  ...["parent", "file", "classname"].map((path) => ({
    path: `quarantines.${path}`,
    required: true,
    accepted: ["", "a", null],
    refused: [0, true, [], {}, "x".repeat(20_001)],
  })),
  text("quarantines.variant", ["", "linux"], ["x".repeat(65)]),
  toggle("quarantines.quarantined"),
  ...[
    {
      path: "quarantines.expires_at",
      accepted: ["2026-01-31T12:00:00.000Z", null],
      refused: ["", "tomorrow", 0],
    },
    { path: "quarantines.owner", accepted: ["@acme/widgets", null], refused: ["", 0, "x".repeat(256)] },
    { path: "quarantines.ticket_url", accepted: ["https://t/1", null], refused: ["", "W-12", 0] },
  ].map((field) => ({ ...field, required: false })),
  optional(text("orgUrlSlug", ["", "acme", "x".repeat(255)], ["x".repeat(256)])),
  optional(text("clientVersion", ["", "0.13.3"], ["x".repeat(101)])),
  // Ignored, because clients of the hosted API send them.
  ...[
    ...["externalId", "testCollectionShortId", "includeTimeline", "quarantines.quarantined_at"],
    ...["timestamp_millis", "is_quarantined", "failure_message"].map((name) => `testIdentifiers.${name}`),
  ].map((path) => ({
    path,
    required: false,
    accepted: [null, "", 1, true, {}],
    refused: [],
  })),
  {
    path: "remoteUrls",
    required: false,
    accepted: [[], ["https://github.com/acme/widgets.git"]],
    refused: ["", 1, null, {}, [1], Array(101).fill("x")],
  },
  {
    path: "testIdentifiers",
    required: false,
    accepted: [[], [{ id: "1", name: "a" }]],
    refused: ["", 1, null, {}],
  },
  text("testIdentifiers.id", ["", "1", "x".repeat(100)], ["x".repeat(101)]),
  text("testIdentifiers.name", ["", "turns"], ["x".repeat(20_001)]),
  ...["parentName", "className", "file", "variant"].map((path) => ({
    path: `testIdentifiers.${path}`,
    required: false,
    accepted: ["", "a", null],
    refused: [0, true, [], {}, "x".repeat(20_001)],
  })),
  ...[
    toggle("quarantining"),
    count("quarantine_days", 1, 365),
    count("quarantine_max_tests", 0, 10_000),
    share("quarantine_max_share", 0),
    count("outage_failures", 5, 1_000),
    share("outage_share", 0.01),
    count("flaky_episodes", 1, 5),
    count("broken_failures", 2, 20),
    count("recovery_runs", 5, 2_000),
    count("recovery_hours", 1, 336),
    toggle("retry_new_tests"),
    toggle("issues"),
    {
      path: "issue_labels",
      required: false,
      accepted: [[], ["flaky-test", "área"], Array(10).fill("x"), ["x".repeat(50)]],
      refused: [Array(11).fill("x"), ["x".repeat(51)], [""], [1], "flaky-test", 1, {}],
    },
  ].map(resettable),
  text("deliveryId", ["no-such", "x".repeat(200)], ["", "x".repeat(201)]),
];

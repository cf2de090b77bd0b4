import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { type Api, startApi } from "./api-harness.ts";

const most = 4_294_967_295;

interface Field {
  readonly name: string;
  readonly byDefault: unknown;
  readonly accepted: readonly (readonly [sent: unknown, answered: unknown])[];
  readonly refused: readonly unknown[];
}

const count = (name: string, byDefault: number, least = 1): Field => ({
  name,
  byDefault,
  accepted: [least, 2, 1_000, most].map((value) => [value, value] as const),
  refused: [least - 1, -1, 1.5, most + 1, "5", "", true, null, [], {}],
});

const toggle = (name: string, byDefault: boolean): Field => ({
  name,
  byDefault,
  accepted: [true, false].map((value) => [value, value] as const),
  refused: [0, 1, "true", "", null, [], {}],
});

const choice = (name: string, byDefault: string, ...words: string[]): Field => ({
  name,
  byDefault,
  accepted: words.flatMap((word) => [word, word.toUpperCase()].map((sent) => [sent, word] as const)),
  refused: ["", "nonsense", ` ${byDefault}`, 0, true, null, [], {}],
});

const fields: readonly Field[] = [
  choice("mode", "single", "single", "parallel"),
  count("concurrency", 5),
  count("bisectionConcurrency", 5),
  count("testingTimeoutMinutes", 300),
  choice("testingTimeout", "fixed", "fixed", "auto"),
  count("missingCheckMinutes", 10, 0),
  count("pendingFailureDepth", 0, 0),
  {
    name: "flakyRetries",
    byDefault: 1,
    accepted: [0, 1, 3].map((value) => [value, value]),
    refused: [-1, 4, 1.5, "1", "", true, null, [], {}],
  },
  toggle("cancelObsoleteRuns", true),
  toggle("canOptimisticallyMerge", false),
  toggle("batch", true),
  count("batchingMaxWaitTimeMinutes", 5),
  count("batchingMinSize", 4),
  count("priorityMaxWaitTimeMinutes", 480),
  count("reviewGraceMinutes", 60, 0),
  count("notReadyTimeoutHours", 24),
  toggle("commentsEnabled", true),
  toggle("commandsEnabled", true),
  toggle("labelCommandsEnabled", true),
  {
    name: "enqueueingLabel",
    byDefault: "trainyard:merge",
    accepted: [
      ["merge me", "merge me"],
      ["x".repeat(100), "x".repeat(100)],
      [null, "trainyard:merge"],
    ],
    refused: ["", "x".repeat(101), 0, true, [], {}],
  },
  {
    name: "stateLabelsEnabled",
    byDefault: false,
    accepted: [
      [true, true],
      [false, false],
      [null, false],
    ],
    refused: [0, 1, "true", "", [], {}],
  },
  {
    name: "allowedBotSubmitters",
    byDefault: [],
    accepted: [
      [["renovate[bot]"], ["renovate[bot]"]],
      [
        ["49699333", "renovate", "49699333"],
        ["49699333", "renovate"],
      ],
      [[], []],
    ],
    refused: ["renovate", 0, true, null, {}, [""], [0], Array(101).fill("x")],
  },
  {
    name: "extensionEnabled",
    byDefault: false,
    accepted: [[false, false]],
    refused: [true, 0, "false", "", null, [], {}],
  },
  {
    name: "batchingRules",
    byDefault: [],
    accepted: [[[], []]],
    refused: [[{ targetPattern: "//a", policy: "isolate" }], [0], 0, true, "", null, {}],
  },
  {
    name: "testBranchConstructionMode",
    byDefault: "push_new_branch_from_temp",
    accepted: [["push_new_branch_from_temp", "push_new_branch_from_temp"]],
    refused: ["rename_temp_branch", "", 0, true, null, [], {}],
  },
  toggle("submitByAutoMerge", false),
  toggle("createPrsForTestingBranches", false),
  toggle("statusCheckEnabled", true),
  toggle("publicPage", false),
  choice("directMergeMode", "off", "off", "always"),
  choice("policy", "adaptive", "fixed", "adaptive", "beliefs"),
  choice("batchSizing", "by_load", "minimum", "by_load"),
  choice("optimizationMode", "bisection_skip_redundant_tests", "off", "bisection_skip_redundant_tests"),
  choice("mergeMethod", "squash", "merge_commit", "squash", "rebase"),
  choice("mergeBy", "auto", "auto", "async_api"),
  choice("state", "running", "running", "paused", "draining"),
  {
    name: "acceptFromHead",
    byDefault: [],
    accepted: [
      [["DCO"], ["DCO"]],
      [
        ["DCO", "CLA", "DCO"],
        ["DCO", "CLA"],
      ],
      [[], []],
    ],
    refused: ["DCO", 0, true, null, {}, [""], [0]],
  },
  {
    name: "requiredStatuses",
    byDefault: [],
    accepted: [
      [["build"], ["build"]],
      [
        ["CI (pr)", "test"],
        ["CI (pr)", "test"],
      ],
      [["twice", "twice"], ["twice"]],
    ],
    refused: ["build", [1], [""], ["a\0b"], ["x".repeat(1_025)], Array(1_001).fill("x"), null, {}],
  },
];

let api: Api;
const update = (changes: object) => api.post("updateQueue", { ...api.queue, ...changes });

beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

beforeEach(async () => {
  await api.post("deleteQueue", api.queue);
  await api.post("createQueue", api.queue);
});

test("the table of this test contains every field of a queue", async () => {
  const { body } = await api.post("getQueue", api.queue);
  const others = [
    "stateReason",
    "stateText",
    "branch",
    "freeze",
    "stall",
    "requiredStatusesSource",
    "enqueuedPullRequests",
    "awaitingReadiness",
  ];
  expect(Object.keys(body).sort()).toEqual([...fields.map(({ name }) => name), ...others].sort());
});

test("every field has its default in a new queue", async () => {
  const { body } = await api.post("getQueue", api.queue);
  for (const { name, byDefault } of fields) expect({ name, is: body[name] }).toEqual({ name, is: byDefault });
});

/** The nth value of each field, or its last one. Each request sets many fields, because a request takes long. */
function together<T>(
  of: readonly Field[],
  listOf: (field: Field) => readonly T[],
): (readonly [Field, T])[][] {
  const most = Math.max(...of.map((field) => listOf(field).length));
  return Array.from({ length: most }, (_, index) =>
    of.map((field) => [field, (listOf(field)[index] ?? listOf(field).at(-1)) as T] as const),
  );
}

/** A response lists at most this many errors. */
const mostErrors = 10;
const groups = Array.from({ length: Math.ceil(fields.length / mostErrors) }, (_, index) =>
  fields.slice(index * mostErrors, (index + 1) * mostErrors),
);

describe.each(together(fields, ({ accepted }) => accepted).map((values, round) => ({ round, values })))(
  "the accepted values $round",
  ({ values }) => {
    const sent = Object.fromEntries(values.map(([{ name }, [value]]) => [name, value]));
    const answered = Object.fromEntries(values.map(([{ name }, [, value]]) => [name, value]));

    test("are stored by updateQueue, and stay until the next change", async () => {
      const updated = await update(sent);
      expect(updated).toMatchObject({ status: 200, body: answered });
      expect((await update({})).body).toMatchObject(answered);
      expect((await api.post("getQueue", api.queue)).body).toMatchObject(answered);
    });

    test("are stored by createQueue", async () => {
      await api.post("deleteQueue", api.queue);
      const created = await api.post("createQueue", { ...api.queue, ...sent });
      expect(created).toMatchObject({ status: 200, body: answered });
    });
  },
);

test.each(groups.map((group) => ({ names: group.map(({ name }) => name).join(), group })))(
  "values outside the bounds are each rejected with their path, and nothing changes: $names",
  async ({ group }) => {
    const before = await api.post("getQueue", api.queue);
    for (const values of together(group, ({ refused }) => refused)) {
      const sent = Object.fromEntries(values.map(([{ name }, value]) => [name, value]));
      const { status, body } = await update(sent);
      expect({ sent, status, code: body.code }).toEqual({ sent, status: 400, code: "INVALID_BODY" });
      const errors = body.errors as { path: string; message: string }[];
      const paths = errors.map(({ path }) => path.replace(/\[\d+\]$/, ""));
      expect([...new Set(paths)].sort()).toEqual(Object.keys(sent).sort());
    }
    expect((await api.post("getQueue", api.queue)).body).toEqual(before.body);
  },
);

test("several fields can be changed together", async () => {
  const changes = { state: "paused", concurrency: 3, commentsEnabled: false };
  expect((await update(changes)).body).toMatchObject(changes);
});

describe("required statuses", () => {
  test("that are set through the API are labelled as such", async () => {
    const source = async () => (await api.post("getQueue", api.queue)).body.requiredStatusesSource;
    expect(await source()).toBe("repo_provider_branch_protection");
    await update({ requiredStatuses: ["build"] });
    expect(await source()).toBe("merge_instance");
    const { body } = await update({ deleteRequiredStatuses: true });
    expect(body).toMatchObject({
      requiredStatuses: [],
      requiredStatusesSource: "repo_provider_branch_protection",
    });
  });

  test("that were never set can be deleted", async () => {
    const { status, body } = await update({ deleteRequiredStatuses: true });
    expect({ status, warnings: body.warnings }).toEqual({ status: 200, warnings: [] });
  });

  test("cannot be set and deleted at once", async () => {
    await update({ requiredStatuses: ["build"] });
    const { status, body } = await update({ requiredStatuses: ["test"], deleteRequiredStatuses: true });
    expect({ status, errors: body.errors }).toEqual({
      status: 400,
      errors: [{ path: "deleteRequiredStatuses", message: expect.stringContaining("drop") }],
    });
    expect((await update({})).body.requiredStatuses).toEqual(["build"]);
  });

  test("are removed by an empty list, which is returned with a warning and the new source of the checks", async () => {
    await update({ requiredStatuses: ["build"] });
    const { body } = await update({ requiredStatuses: [] });
    expect(body).toMatchObject({
      requiredStatuses: [],
      requiredStatusesSource: "repo_provider_branch_protection",
    });
    expect(body.warnings).toEqual([expect.stringContaining("branch's protection")]);
  });

  test("are deleted without a warning by an empty list together with deleteRequiredStatuses", async () => {
    await update({ requiredStatuses: ["build"] });
    const { body } = await update({ requiredStatuses: [], deleteRequiredStatuses: true });
    expect(body).toMatchObject({ requiredStatuses: [], warnings: [] });
  });
});

test("the state switching_modes cannot be set, and the error mentions the mode", async () => {
  const { status, body } = await update({ state: "SWITCHING_MODES" });
  expect(status).toBe(400);
  expect(body.detail).toContain("mode");
});

test.each([
  ["concurency", "concurrency"],
  ["testingTimeoutMins", "testingTimeoutMinutes"],
  ["MERGEMETHOD", "mergeMethod"],
  ["requiredStatus", "requiredStatuses"],
])("the unknown field %s is rejected with the suggestion %s", async (unknown, known) => {
  const refused = {
    status: 400,
    errors: [{ path: unknown, message: `is unknown; did you mean ${known}?` }],
  };
  const { status, body } = await update({ [unknown]: 1 });
  expect({ status, errors: body.errors }).toEqual(refused);
  await api.post("deleteQueue", api.queue);
  const created = await api.post("createQueue", { ...api.queue, [unknown]: 1 });
  expect({ status: created.status, errors: created.body.errors }).toEqual(refused);
  expect((await api.post("getQueue", api.queue)).status).toBe(404);
});

test("an unknown field that resembles no other is rejected with a list of all fields", async () => {
  const { status, body } = await update({ frobnicationThreshold: 1 });
  expect({ status, detail: body.detail }).toEqual({
    status: 400,
    detail: expect.stringMatching(/frobnicationThreshold.*concurrency.*mergeMethod/),
  });
});

describe("the warnings of updateQueue", () => {
  test.each([
    ["concurrency", 1_001, 1_000],
    ["testingTimeoutMinutes", most, 10_080],
  ])("say that %s of %d is used as %d", async (field, stored, used) => {
    const { body } = await update({ [field]: stored });
    expect(body[field]).toBe(stored);
    expect(body.warnings).toEqual([expect.stringMatching(new RegExp(`${field}.*${stored}.*${used}`))]);
  });

  test("say that pendingFailureDepth has no effect with beliefs, also when only the policy or the slots change", async () => {
    const warning = [expect.stringMatching(/^pendingFailureDepth is stored as 2, but has no effect/)];
    expect((await update({ pendingFailureDepth: 2 })).body.warnings).toEqual([]);
    expect((await update({ policy: "beliefs" })).body.warnings).toEqual(warning);
    expect((await update({ testingTimeoutMinutes: 30 })).body.warnings).toEqual([]);
    expect((await update({ policy: "adaptive", mode: "parallel" })).body.warnings).toEqual([]);
    expect((await update({ concurrency: 16 })).body.warnings).toEqual(warning);
    await api.post("deleteQueue", api.queue);
    const created = await api.post("createQueue", {
      ...api.queue,
      policy: "beliefs",
      pendingFailureDepth: 2,
    });
    expect(created.body.warnings).toEqual(warning);
  });

  test("are empty for the defaults and for effective values", async () => {
    const { body: queue } = await api.post("getQueue", api.queue);
    const settable = fields.filter(({ name }) => !/^requiredStatuses/.test(name));
    const defaults = Object.fromEntries(settable.map(({ name }) => [name, queue[name]]));
    expect((await update(defaults)).body.warnings).toEqual([]);
    const working = { concurrency: 1_000, testingTimeoutMinutes: 10_080, mergeMethod: "rebase" };
    expect((await update({ ...working, createPrsForTestingBranches: true })).body.warnings).toEqual([]);
  });
});

test("an invalid value of a setting with only one valid value is explained", async () => {
  const { body } = await update({ testBranchConstructionMode: "rename_temp_branch" });
  expect(body.detail).toMatch(/push_new_branch_from_temp or left out: test branches are created/);
});

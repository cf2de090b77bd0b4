import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { EndpointName } from "../../src/api/endpoints.ts";
import { examples } from "../../src/api/openapi/examples.ts";
import { sampleOf } from "../sampled.ts";
import { type Answer, type Api, startApi } from "./api-harness.ts";
import { operations, type Schema } from "./documented.ts";
import { type Field, fields } from "./field-table.ts";

let api: Api;
beforeAll(async () => {
  api = await startApi({ logLevel: "silent" });
  await api.post("createQueue", api.queue);
});
afterAll(() => api.close());

/** The paths of all fields of a schema, also of fields in arrays. */
function pathsOf(schema: Schema, prefix = ""): string[] {
  const { properties = {}, items } = schema as { properties?: Record<string, Schema>; items?: Schema };
  if (items) return pathsOf(items, prefix);
  return Object.entries(properties).flatMap(([name, one]) => {
    const path = prefix + name;
    return [path, ...pathsOf(one, `${path}.`)];
  });
}

const documented = operations.flatMap(({ operationId, body }) =>
  body ? pathsOf(body).map((path) => ({ endpoint: operationId as EndpointName, path })) : [],
);

function rowOf(endpoint: string, path: string): Field | undefined {
  const rows = fields.filter((field) => field.path === path);
  return rows.find(({ of }) => of?.includes(endpoint)) ?? rows.find(({ of }) => of === undefined);
}

test("the table contains every field of every request, and no other", () => {
  expect(documented.filter(({ endpoint, path }) => !rowOf(endpoint, path))).toEqual([]);
  const used = new Set(documented.map(({ endpoint, path }) => rowOf(endpoint, path)));
  expect(fields.filter((field) => !used.has(field))).toEqual([]);
});

/** Other fields that the body needs for this field to be valid. */
const beside: Readonly<Record<string, object>> = {
  "actor.permission": { actor: { login: "alice" } },
  "actor.reason": { actor: { login: "alice" } },
};

/** The example body of an endpoint about the existing queue, with one field set to the given value. */
function bodyWith(endpoint: EndpointName, path: string, value: unknown): object {
  const body = structuredClone({ ...examples[endpoint].body, ...beside[path] }) as Record<string, unknown>;
  if ("repo" in body) body.repo = { ...api.queue.repo };
  // Only one of number and branch may be given.
  if (path === "pr.branch" || (path === "pr.number" && "branch" in Object(body.pr))) body.pr = {};
  const keys = path.split(".");
  const last = keys.pop() ?? "";
  let at = body;
  for (const key of keys) {
    at[key] ??= {};
    at = (Array.isArray(at[key]) ? at[key][0] : at[key]) as Record<string, unknown>;
  }
  if (value === undefined) delete at[last];
  else at[last] = value;
  return body;
}

/** Returns the path of the error that a response reports; null if it accepts the body. */
function faultOf({ status, body }: Answer): string | null {
  // The value passed validation, but is not a token of any page.
  if (body.code === "PAGE_TOKEN_NOT_VALID") return null;
  if (body.code !== "INVALID_BODY") {
    // An accepted body may name something that does not exist, or conflict with the current state.
    expect([200, 404, 409]).toContain(status);
    return null;
  }
  expect(status).toBe(400);
  const [first] = body.errors as { path: string; message: string }[];
  expect(body.detail).toContain(first?.message);
  return (first?.path ?? "").replaceAll(/\[\d+\]/g, "");
}

/** The paths of the objects of an endpoint's example body that belong to every client. */
const objectsOf = (body: object): readonly string[] => [
  "",
  ...["repo", "pr", "page_query"].filter((key) => key in body),
];

describe.each(Object.keys(examples) as EndpointName[])("a field that %s does not have", (endpoint) => {
  test.each(objectsOf(examples[endpoint].body))(
    "is refused by its path in the object '%s'",
    async (object) => {
      const path = object === "" ? "concurencyy" : `${object}.concurencyy`;
      const { status, body } = await api.post(endpoint, bodyWith(endpoint, path, 4));
      const errors = body.errors as { path: string; message: string }[];
      expect({ status, errors }).toEqual({
        status: 400,
        errors: [{ path, message: expect.stringContaining("is unknown") }],
      });
    },
  );
});

const rows = fields.map((row) => ({
  ...row,
  name: `${row.path}${row.of ? ` of ${row.of.join(", ")}` : ""}`,
  endpoints: documented
    .filter(({ endpoint, path }) => rowOf(endpoint, path) === row)
    .map(({ endpoint }) => endpoint),
}));

describe.each(rows)("$name", ({ path, required, accepted, refused, endpoints }) => {
  const eitherOr = path === "pr.number" && !required;
  /** In a sample, each value goes to one endpoint, the next value to the next one. */
  const endpointsOf = (index: number) =>
    sampleOf([...endpoints.slice(index % endpoints.length), ...endpoints].slice(0, endpoints.length), 1);
  const expectFaults = async (values: readonly unknown[], fault: string | null) => {
    for (const [index, value] of values.entries()) {
      const found = endpointsOf(index).map(async (endpoint) => [
        endpoint,
        faultOf(await api.post(endpoint, bodyWith(endpoint, path, value))),
      ]);
      const expected = endpointsOf(index).map((endpoint) => [endpoint, fault]);
      expect({ value, faults: await Promise.all(found) }).toEqual({ value, faults: expected });
    }
  };

  // For a field that only contains others, the tests of those cover the accepted values.
  if (accepted.length > 0) test("accepts every valid value", () => expectFaults(sampleOf(accepted, 3), null));

  test("rejects every invalid value with the path of the error", () =>
    expectFaults(sampleOf(refused, 4), path));

  test(required ? "has to be there" : "may be absent", async () => {
    // One of the two fields is required; the error names their parent.
    const fault = eitherOr || path === "pr.branch" ? "pr" : required ? path : null;
    await expectFaults([undefined], fault);
  });
});

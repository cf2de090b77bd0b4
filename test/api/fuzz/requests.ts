import { gzipSync, zstdCompressSync } from "node:zlib";
import fc from "../../drawn.ts";
import { type Operation, operations } from "../documented.ts";
import { bodyLike, type Known } from "./body-like.ts";
import { oddBody, oddValue } from "./odd-values.ts";

export interface FuzzedRequest {
  readonly operation: Operation;
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
}

/** The existing things that requests can be about. */
export interface Surroundings {
  readonly repo: { readonly host: string; readonly owner: string; readonly name: string };
  readonly branches: readonly string[];
  readonly pulls: readonly { readonly number: number; readonly sha: string }[];
  readonly webhooks: readonly string[];
  /** Ids of tests. */
  readonly tests: readonly string[];
  readonly tokens: readonly string[];
}

/** Requests to every operation of the API's description: mostly as described, now and then different. */
export function anyRequest(surroundings: Surroundings): fc.Arbitrary<FuzzedRequest> {
  const known = knownFields(surroundings);
  return fc.oneof(...operations.map((operation) => requestTo(operation, surroundings, known)));
}

function requestTo(
  operation: Operation,
  { tokens, repo }: Surroundings,
  known: Known,
): fc.Arbitrary<FuzzedRequest> {
  const like =
    operation.body && bodyLike(operation.body, known).map((body) => Buffer.from(JSON.stringify(body) ?? ""));
  const body = like
    ? fc.oneof({ weight: 30, arbitrary: like }, { weight: 1, arbitrary: oddBody })
    : fc.constant(null);
  const queries = fc.record(
    { repo: text(`${repo.owner}/${repo.name}`), repoHost: text(repo.host), other: text("1") },
    { requiredKeys: [] },
  );
  const query = like ? fc.constant("") : queries.map((fields) => `?${new URLSearchParams(fields)}`);
  return fc
    .record({ operation: fc.constant(operation), query, headers: headersWith(tokens), body, encoding })
    .map(({ body: plain, encoding: encode, headers, ...request }) =>
      plain === null ? { ...request, headers, body: plain } : { ...request, ...encode(plain, headers) },
    );
}

function text(right: string): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 5, arbitrary: fc.constant(right) },
    { weight: 1, arbitrary: oddValue.map((odd) => JSON.stringify(odd)) },
  );
}

function knownFields({ repo, branches, pulls, webhooks, tests }: Surroundings): Known {
  const test = fc.constantFrom(...tests, ...tests, "aad1f138-09ab-5ea9-9c21-af48a03d6edd");
  const pull = fc.constantFrom(...pulls, { number: 4_711, sha: "b".repeat(40) });
  const number = pull.chain(({ number: found }) => fc.constantFrom<number | string>(found, String(found)));
  const time = fc.constantFrom(
    "2026-01-31T12:00:00.000Z",
    "1970-01-01T00:00:00Z",
    "2999-12-31T23:59:59+14:00",
  );
  const beginning = fc.constantFrom(...Array(3).fill("2026-03-01T12:00:00.000Z"), "1970-01-01T00:00:00Z");
  const end = fc.constantFrom(...Array(3).fill("2026-03-03T12:00:00.000Z"), "2999-12-31T23:59:59+14:00");
  return {
    "repo.host": fc.constant(repo.host),
    "repo.owner": fc.constantFrom(repo.owner, repo.owner, repo.owner.toUpperCase(), "other"),
    "repo.name": fc.constantFrom(repo.name, repo.name, repo.name, "no-such"),
    targetBranch: fc.constantFrom(...branches, ...branches, "no-such", "feature/x"),
    "pr.number": number,
    "pr.branch": fc.constantFrom("feature-1", "feature-2", "feature-3"),
    "pr.sha": pull.map(({ sha }) => sha),
    "prs.number": number,
    seenHead: pull.map(({ sha }) => sha),
    sha: pull.map(({ sha }) => sha),
    priority: fc.constantFrom("high", "URGENT", "12", 0, 255, null),
    testRunId: fc.constantFrom(
      "0b24a36b-1a6b-4f2e-9f0e-6a1d8c6a4e11",
      "0b24a36b-1a6b-4f2e-9f0e-6a1d8c6a4e11-bisection",
    ),
    // One cursor has a time and a pull request, the other has a position.
    cursor: fc.constantFrom(Buffer.from("[1793000000000,2]").toString("base64url"), "4"),
    id: fc.constantFrom(...webhooks, "no-such"),
    head_sha: pull.map(({ sha }) => sha),
    tree_sha: pull.map(({ sha }) => sha),
    branch: fc.constantFrom(...branches),
    reports: fc.array(report, { maxLength: 3 }),
    test_case_id: test,
    external_ticket_id: fc.constantFrom("https://tickets.example/1", ""),
    expires_at: time,
    "quarantines.test_case_id": test,
    "quarantines.expires_at": fc.oneof(time, fc.constant(null)),
    "quarantines.ticket_url": fc.constantFrom("https://tickets.example/1", null),
    since: time,
    until: time,
    org_url_slug: fc.constantFrom(repo.owner, repo.owner, repo.owner.toUpperCase(), "other"),
    "page_query.page_token": fc.constantFrom("", "", "A".repeat(64)),
    "reports.content": fc.constantFrom('<testsuite><testcase name="a"/></testsuite>', "<testsuite>", ""),
    test_id: fc.constant("aad1f138-09ab-5ea9-9c21-af48a03d6edd"),
    // The second names of both have to say the same.
    ...{ start: beginning, start_time: beginning, end, end_time: end },
    url: fc.constantFrom(
      "https://hooks.example/1",
      "http://127.0.0.1:1/",
      "https://[::1]/",
      "https://",
      "ftp://a.example",
    ),
  };
}

const xml = '<testsuite name="w"><testcase name="turns"><failure message="no"/></testcase></testsuite>';
const gzipped = gzipSync(xml).toString("base64");
const report = fc.record(
  {
    path: fc.constantFrom("a.xml", "b.xml"),
    encoding: fc.constantFrom("text", "gzip", "zstd"),
    content: fc.constantFrom(xml, xml.slice(0, -9), "", gzipped, gzipped.slice(4)),
  },
  { requiredKeys: ["path", "content"] },
);

type Encoding = (
  body: Buffer,
  headers: Record<string, string>,
) => { headers: Record<string, string>; body: Buffer };

const plainly: Encoding = (body, headers) => ({ headers, body });
const encodedAs =
  (name: string, encode: (body: Buffer) => Buffer): Encoding =>
  (body, headers) => ({ headers: { ...headers, "content-encoding": name }, body: encode(body) });

const encoding: fc.Arbitrary<Encoding> = fc.oneof(
  { weight: 30, arbitrary: fc.constant(plainly) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      encodedAs("gzip", gzipSync),
      encodedAs("ZSTD", zstdCompressSync),
      encodedAs("identity", (body) => body),
      // The header contradicts the actual encoding.
      encodedAs("gzip", (body) => body),
      encodedAs("zstd", gzipSync),
      encodedAs("gzip", (body) => gzipSync(body).subarray(0, -5)),
      encodedAs("br", (body) => body),
      encodedAs("gzip, gzip", gzipSync),
    ),
  },
);

/** The characters that a client may send in a header: no control characters, and nothing beyond Latin-1. */
const headerText = fc.string({ unit: fc.constantFrom(..."aZ09 .,;:=/\"'()<>{}[]-_~é\u00ff"), maxLength: 40 });

function headersWith(tokens: readonly string[]): fc.Arbitrary<Record<string, string>> {
  const token = fc.oneof(
    { weight: 25, arbitrary: fc.constantFrom(tokens[0] ?? "").map((one) => ({ "x-api-token": one })) },
    { weight: 4, arbitrary: fc.constantFrom(...tokens).map((one) => ({ "x-api-token": one })) },
    { weight: 1, arbitrary: fc.constantFrom(...tokens).map((one) => ({ authorization: `Bearer ${one}` })) },
    { weight: 1, arbitrary: headerText.map((one) => ({ "x-api-token": one })) },
    { weight: 1, arbitrary: headerText.map((one) => ({ authorization: one })) },
    { weight: 1, arbitrary: fc.constant({ authorization: "Bearer e30.e30.x" }) },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom("1", "x", "-1", "99999999999999999")
        .map((run) => ({ "x-forked-workflow-run-id": run })),
    },
    { weight: 1, arbitrary: fc.constant({}) },
  );
  const type = fc.oneof(
    { weight: 30, arbitrary: fc.constant({ "content-type": "application/json" }) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        { "content-type": "application/json; charset=utf-8" },
        { "content-type": "APPLICATION/JSON" },
        { "content-type": "text/plain" },
        { "content-type": "application/x-www-form-urlencoded" },
        { "content-type": "application/jsonp" },
        { "content-type": "application/problem+json" },
        {},
      ),
    },
    { weight: 1, arbitrary: headerText.map((one) => ({ "content-type": one })) },
  );
  const others = fc.record(
    {
      "idempotency-key": fc.oneof(fc.constantFrom("a", "b", "c"), fc.uuid(), headerText),
      accept: headerText,
      "user-agent": headerText,
      "x-forwarded-for": headerText,
      "x-request-id": headerText,
      "x-source": headerText,
      cookie: headerText,
    },
    { requiredKeys: [] },
  );
  const rarely = fc.oneof({ weight: 4, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: others });
  return fc.tuple(token, type, rarely).map((parts) => Object.assign({}, ...parts));
}

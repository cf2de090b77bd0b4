import { draw } from "../seeded-draw.ts";
import type { Fault } from "./faults.ts";
import { htmlReply, jsonReply, noReply, type Reply } from "./strike.ts";

/** Whether GitHub might send a body. Called for JSON bodies only. */
export type Describes = (body: unknown) => boolean;

type Path = readonly (string | number)[];

/** How many fields are tried to find one that the description requires. */
const maxAttempts = 40;

const isJson = ({ headers }: Reply): boolean =>
  String(headers["content-type"]).startsWith("application/json");

/** Truncates a reply. Returns null when it cannot be truncated. The ETag stays that of the whole body. */
export function cutReply(reply: Reply, { variant, seed }: Fault): Reply | null {
  const { content, headers, status } = reply;
  if (status < 200 || status > 299 || content === null || content.length < 2) return null;
  const length = 1 + Math.floor(draw(seed, "length") * (content.length - 1));
  // A truncated text would still be valid, so that a client could not detect it. So the connection breaks instead.
  if (variant === "connection" || !isJson(reply)) return { ...reply, breaksOff: length };
  return {
    ...reply,
    content: content.subarray(0, length),
    headers: { ...headers, "content-length": length },
  };
}

/** Returns a reply whose body does not match GitHub's description. Null when no such body exists. */
export function misshapeReply(reply: Reply, fault: Fault, describes: Describes): Reply | null {
  const { content, headers, status } = reply;
  if (status < 200 || status > 299) return null;
  const asPage = { ...htmlReply(200, proxyPage) };
  const page = { ...asPage, headers: { ...headers, ...asPage.headers } };
  if (fault.variant === "html" || content === null || !isJson(reply)) return page;
  const truth: unknown = JSON.parse(content.toString("utf8"));
  const body = misshape(truth, fault, describes);
  if (body === undefined) return page;
  const changed = Buffer.from(JSON.stringify(body));
  return { ...reply, content: changed, headers: { ...headers, "content-length": changed.length } };
}

/** Returns the answer of a GraphQL query with `errors`. Null when the query is refused anyway, or has no such part. */
export function refuseQuery({ status, content }: Reply, { variant }: Fault): Reply | null {
  const { data } = JSON.parse(content?.toString("utf8") ?? "{}") as { data?: { repository?: object | null } };
  if (status !== 200 || !data) return null;
  const path = ["repository"];
  switch (variant) {
    case "went_wrong": {
      const message =
        "Something went wrong while executing your query. Please include `0000:0000:0000` when reporting this issue.";
      return jsonReply(200, { data: null, errors: [{ message }] });
    }
    case "forbidden": {
      const message = "Resource not accessible by integration";
      return jsonReply(200, { data: { repository: null }, errors: [{ type: "FORBIDDEN", path, message }] });
    }
    case "unknown_field": {
      const message = "Field 'latestOpinionatedReviews' doesn't exist on type 'PullRequest'";
      return jsonReply(200, { errors: [{ extensions: { code: "undefinedField" }, message }] });
    }
    default:
      return withoutDecisions(data.repository ?? {});
  }
}

/** The decisions of reviewers are null, which without the errors would mean that no rule requires a review. */
function withoutDecisions(repository: object): Reply | null {
  const fields = Object.entries(repository).map(([name, value]) => {
    const has = typeof value === "object" && value !== null && "reviewDecision" in value;
    return { name, value: has ? { ...value, reviewDecision: null } : value, has };
  });
  const errors = fields.flatMap(({ name, has }) => {
    const path = ["repository", name, "reviewDecision"];
    return has ? [{ type: "NOT_FOUND", path, message: "Could not resolve to a node." }] : [];
  });
  if (errors.length === 0) return null;
  const data = { repository: Object.fromEntries(fields.map(({ name, value }) => [name, value])) };
  return jsonReply(200, { data, errors });
}

/** Returns a wrong body of the variant. Undefined when the description allows every such body. */
function misshape(truth: unknown, { variant, seed, operation }: Fault, describes: Describes): unknown {
  const candidates = (): unknown[] => {
    switch (variant) {
      case "{}":
        return [{}];
      case "[]":
        return [[]];
      case "null":
        return [null];
      case "wrapped":
        return [Array.isArray(truth) ? { items: truth } : [truth]];
      case "null_field":
        // Nearly all GraphQL fields may be null, so the whole data becomes null.
        if (operation.startsWith("graphql/")) return [{ data: null }];
        return changed(true);
      default:
        return changed(false);
    }
  };
  const changed = (isNull: boolean): unknown[] =>
    pathsOf(truth)
      .sort((a, b) => draw(seed, ...a) - draw(seed, ...b))
      .slice(0, maxAttempts)
      .map((path) => without(truth, path, isNull));
  return candidates().find((body) => !describes(body));
}

/** Returns the paths of a body's fields, down to the fields of nested objects. The first item of a list represents all items. */
function pathsOf(value: unknown, depth = 3): Path[] {
  if (depth === 0 || typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) return pathsOf(value[0], depth - 1).map((path) => [0, ...path]);
  return Object.entries(value).flatMap(([key, below]) => [
    [key],
    ...pathsOf(below, depth - 1).map((path) => [key, ...path]),
  ]);
}

function without(value: unknown, path: Path, isNull: boolean): unknown {
  const copy = structuredClone(value);
  const [last = "", ...way] = path.toReversed();
  let holder = copy as Record<string | number, unknown>;
  for (const key of way.toReversed()) holder = holder[key] as Record<string | number, unknown>;
  if (isNull) holder[last] = null;
  else delete holder[last];
  return copy;
}

const DOCUMENTATION = "https://docs.github.com/rest";
const LIMITS = `${DOCUMENTATION}/using-the-rest-api/rate-limits-for-the-rest-api`;

const page = (title: string, text: string): string =>
  `<html>\r\n<head><title>${title}</title></head>\r\n<body>\r\n<center><h1>${title}</h1></center>\r\n<hr><center>${text}</center>\r\n</body>\r\n</html>\r\n`;

export const proxyPage = page("Sign in to continue", "Your network needs you to sign in.");

const conflictMessages: Readonly<Record<string, string>> = {
  in_progress: "Merge already in progress",
  head_modified: "Head branch was modified. Review and try the merge again.",
};

const isGraphql = ({ operation }: Fault): boolean => operation.startsWith("graphql/");

const refuse = (
  status: number,
  message: string,
  headers: Reply["headers"] = {},
  url = DOCUMENTATION,
): Reply => jsonReply(status, { message, documentation_url: url, status: String(status) }, headers);

/** Returns the failure that a fault sends in place of the true response. */
export function failureReply(fault: Fault, now: Date): Reply {
  const { kind, retryAfterSeconds } = fault;
  switch (kind) {
    case "outage":
      if (fault.variant === "reset") return noReply;
      return htmlReply(
        503,
        page("503 Service Unavailable", "No server is available to handle this request."),
      );
    case "reset":
      return noReply;
    case "500":
      return refuse(500, "Server Error");
    case "502":
      return htmlReply(502, page("502 Bad Gateway", "nginx"));
    case "unauthorized":
      return refuse(401, "Bad credentials");
    case "forbidden":
      return isGraphql(fault)
        ? refuseField(fault, "FORBIDDEN", "Resource not accessible by integration")
        : refuse(403, "Resource not accessible by integration");
    case "not_found":
      return isGraphql(fault)
        ? refuseField(fault, "NOT_FOUND", "Could not resolve to a node with the global id of the input.")
        : refuse(404, "Not Found");
    case "base_modified":
      return refuse(405, "Base branch was modified. Review and try the merge again.");
    case "conflict":
      if (isGraphql(fault))
        return refuseField(fault, "UNPROCESSABLE", "A conflicting operation is in progress.");
      return refuse(409, conflictMessages[fault.variant] ?? "Conflict");
    case "locked":
      if (isGraphql(fault)) return refuseField(fault, "UNPROCESSABLE", "Locked");
      return refuse(423, "Locked");
    case "rate_limited":
      return limit(fault, Math.ceil(now.getTime() / 1000) + retryAfterSeconds);
    default:
      throw new Error(`${kind} damages an answer and does not replace it`);
  }
}

/** @param reset in seconds since 1970 */
function limit(fault: Fault, reset: number): Reply {
  if (fault.variant === "primary") {
    const headers = {
      "x-ratelimit-limit": "5000",
      "x-ratelimit-used": "5000",
      "x-ratelimit-remaining": "0",
      "x-ratelimit-reset": String(reset),
      "x-ratelimit-resource": isGraphql(fault) ? "graphql" : "core",
    };
    const message = "API rate limit exceeded for installation.";
    // https://docs.github.com/en/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api
    if (isGraphql(fault)) return jsonReply(200, { errors: [{ type: "RATE_LIMITED", message }] }, headers);
    return refuse(403, message, headers, LIMITS);
  }
  return refuse(
    fault.variant === "429" ? 429 : 403,
    "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.",
    { "retry-after": String(fault.retryAfterSeconds) },
    `${LIMITS}#about-secondary-rate-limits`,
  );
}

function refuseField({ operation }: Fault, type: string, message: string): Reply {
  const field = operation.slice("graphql/".length);
  return jsonReply(200, { data: { [field]: null }, errors: [{ type, path: [field], message }] });
}

import type { Fault } from "./draw-fault.ts";
import { htmlReply, jsonReply, noReply, type Reply } from "./strike.ts";

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

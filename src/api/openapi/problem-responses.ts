import { type ProblemCode, problemKinds, renderProblem } from "../problems/problem.ts";

const descriptions: Readonly<Record<number, string>> = {
  400: "The body is wrong, or the queue is not in a state for this.",
  401: "No valid token, or nothing that stands for one.",
  403: "The token lacks the scope, or is not the kind of token that this needs.",
  404: "There is no such queue or pull request, as far as the token may know.",
  409: "It contradicts how things are.",
  413: "The body is larger than 20 MiB.",
  415: "The body is not JSON, or compressed in another way than gzip or zstd.",
  429: "Too many requests; `retry-after` says how many seconds to wait.",
  500: "A failure of the service.",
  503: "The service has no room for the body, nothing can be stored, or the service, GitHub or the issuer of workflow tokens does not answer at the moment. Nothing was changed.",
};

export const problemStatuses: readonly number[] = Object.keys(descriptions).map(Number);

/** The problems that endpoints may return, by status. */
export function problemResponses(): Record<string, object> {
  return Object.fromEntries(problemStatuses.map((status) => [status, response(status)]));
}

function response(status: number): object {
  const codes = Object.entries(problemKinds).filter(([, kind]) => kind.status === status);
  const examples = codes.map(([code, { title }]) => [
    code,
    {
      value: renderProblem(
        { code: code as ProblemCode, detail: `${title}. What to do stands here.` },
        "7d1e…",
      ),
    },
  ]);
  const content = {
    "application/problem+json": {
      schema: { $ref: "#/components/schemas/Problem" },
      examples: Object.fromEntries(examples),
    },
  };
  const retryAfter = { description: "Seconds to wait before trying again.", schema: { type: "integer" } };
  const waits = status === 429 || status === 503;
  return {
    description: descriptions[status],
    ...(waits ? { headers: { "retry-after": retryAfter } } : {}),
    content,
  };
}

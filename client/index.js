// src/client/encoded-body.ts
function bodyInit(body) {
  return typeof body === "string" ? { body } : { body: ReadableStream.from(body.chunks), duplex: "half" };
}
function lengthHeader(body) {
  return typeof body === "string" ? {} : { "content-length": String(body.byteLength) };
}

// src/client/errors.ts
var ApiError = class extends Error {
  name = "ApiError";
  status;
  /** The code of the problem, for programs: `QUEUE_NOT_FOUND`. Null when the answer is not the service's own. */
  code;
  /** Describes the problem, and how to solve it, for people. */
  detail;
  /** Errors in the request's fields. */
  errors;
  /** How long the service asks to wait before trying again. */
  retryAfterMs;
  /** Identifies the request in the service's log. */
  requestId;
  constructor(answer) {
    super(answer.detail);
    this.status = answer.status;
    this.code = answer.code;
    this.detail = answer.detail;
    this.errors = answer.errors;
    this.retryAfterMs = answer.retryAfterMs;
    this.requestId = answer.requestId;
  }
};
var NetworkError = class extends Error {
  name = "NetworkError";
  kind;
  constructor(kind, message, cause) {
    super(message, { cause });
    this.kind = kind;
  }
};
function isTransient(error) {
  if (error instanceof NetworkError) return true;
  return error instanceof ApiError && (error.status >= 500 || error.status === 429);
}

// src/client/exchange.ts
async function exchange(fetch, request) {
  const { response, text } = await send(fetch, request);
  const answer = parseJson(text);
  if (response.ok && answer !== void 0) return answer;
  throw failure(request.url, response, answer);
}
async function exchangeText(fetch, request) {
  const { response, text } = await send(fetch, request);
  if (response.ok && response.headers.get("content-type")?.startsWith("text/plain")) return text;
  throw failure(request.url, response, parseJson(text));
}
function send(fetch, { method, url, headers, body, timeoutMs }) {
  return answerOf(url, timeoutMs, async (signal) => {
    const response = await fetch(url, {
      method,
      headers: { ...headers, ...body === void 0 ? {} : lengthHeader(body) },
      ...body === void 0 ? {} : bodyInit(body),
      signal,
      redirect: "manual"
    });
    return { response, text: await response.text() };
  });
}
function failure(url, response, answer) {
  return new ApiError({
    ...failureOf(url, response, answer),
    status: response.status,
    retryAfterMs: retryAfterMs(response.headers)
  });
}
async function answerOf(url, timeoutMs, ask) {
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    return await ask(signal);
  } catch (error) {
    const { origin } = new URL(url);
    if (signal.aborted) {
      throw new NetworkError("timeout", `${origin} did not answer within ${timeoutMs / 1e3} s.`, error);
    }
    throw new NetworkError("network", `${origin} did not answer: ${reasonOf(error)}.`, error);
  }
}
function failureOf(url, response, answer) {
  if (isProblem(answer)) {
    const { code, detail, errors = [], instance } = answer;
    return { code, detail, errors, requestId: instance };
  }
  const location = response.headers.get("location");
  const what = location ? `redirects to ${location}` : `answered ${response.status}, but not as Trainyard does`;
  return { code: null, detail: `${url} ${what}. Is the address right?`, errors: [], requestId: null };
}
function isProblem(answer) {
  return typeof answer === "object" && answer !== null && "code" in answer && "detail" in answer;
}
function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return void 0;
  }
}
function retryAfterMs(headers) {
  const value = headers.get("retry-after");
  if (value === null) return null;
  if (/^\d+$/.test(value)) return Number(value) * 1e3;
  const wait = Date.parse(value) - Date.parse(headers.get("date") ?? "");
  return Number.isNaN(wait) ? null : Math.max(0, wait);
}
function reasonOf(error) {
  if (!Error.isError(error)) return String(error);
  if (error.cause !== void 0) return reasonOf(error.cause);
  return error.message || ("code" in error ? String(error.code) : error.name);
}

// src/client/retry.ts
async function withRetries(attempt, options) {
  const { attempts, maxDelayMs = 6e4, sleep = sleepFor } = options;
  for (let failures = 1; ; failures++) {
    try {
      return await attempt();
    } catch (error) {
      if (!isTransient(error) || failures >= attempts) throw error;
      const asked = error instanceof ApiError ? error.retryAfterMs : null;
      if (asked !== null && asked > maxDelayMs) throw error;
      await sleep(asked ?? backoffMs(failures, maxDelayMs, options));
    }
  }
}
function backoffMs(failures, maxDelayMs, { firstDelayMs = 500, random = Math.random }) {
  const delay = Math.min(firstDelayMs * 2 ** (failures - 1), maxDelayMs);
  return Math.round(delay * (0.5 + random() / 2));
}
function sleepFor(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

// src/client/client.ts
function createClient(options) {
  const { fetch = globalThis.fetch, timeoutMs = 3e4, retry = { attempts: 1 } } = options;
  const headers = headersOf(options);
  function call(name, path = name) {
    return async (request) => {
      const url = endpointUrl(options, path);
      const posted = { method: "POST", url, headers, body: JSON.stringify(request), timeoutMs };
      return await withRetries(() => exchange(fetch, posted), retry);
    };
  }
  return {
    submitPullRequest: call("submitPullRequest"),
    tryPullRequest: call("tryPullRequest"),
    cancelTry: call("cancelTry"),
    cancelPullRequest: call("cancelPullRequest"),
    restartTestsOnPullRequest: call("restartTestsOnPullRequest"),
    getSubmittedPullRequest: call("getSubmittedPullRequest"),
    getSubmittedPullRequests: call("getSubmittedPullRequests"),
    listPullRequests: call("listPullRequests"),
    explainPullRequest: call("explainPullRequest"),
    getMergeQueueTestingDetails: call("getMergeQueueTestingDetails"),
    proveCommit: call("proveCommit"),
    setImpactedTargets: call("setImpactedTargets"),
    createQueue: call("createQueue"),
    deleteQueue: call("deleteQueue"),
    getQueue: call("getQueue"),
    listQueues: call("listQueues"),
    updateQueue: call("updateQueue"),
    examineQueue: call("examineQueue"),
    setQuarantine: call("setQuarantine", "flaky-tests/set-quarantine"),
    linkTicketToTestCase: call("linkTicketToTestCase", "flaky-tests/link-ticket-to-test-case"),
    exportQuarantines: call("exportQuarantines", "flaky-tests/export-quarantines"),
    importQuarantines: call("importQuarantines", "flaky-tests/import-quarantines"),
    getTestSettings: call("getTestSettings", "flaky-tests/get-test-settings"),
    updateTestSettings: call("updateTestSettings", "flaky-tests/update-test-settings"),
    createBundleUpload: call("createBundleUpload", "metrics/createBundleUpload"),
    getQuarantineConfig: call("getQuarantineConfig", "metrics/getQuarantineConfig"),
    uploadTestResults: call("uploadTestResults", "flaky-tests/upload-results"),
    listAuditLog: call("listAuditLog"),
    createWebhook: call("createWebhook"),
    listWebhooks: call("listWebhooks"),
    updateWebhook: call("updateWebhook"),
    deleteWebhook: call("deleteWebhook"),
    listWebhookDeliveries: call("listWebhookDeliveries"),
    resendWebhookDelivery: call("resendWebhookDelivery"),
    listQuarantinedTests: call("listQuarantinedTests", "flaky-tests/list-quarantined-tests"),
    listUnhealthyTests: call("listUnhealthyTests", "flaky-tests/list-unhealthy-tests"),
    listFailingTests: call("listFailingTests", "flaky-tests/list-failing-tests"),
    getTestDetails: call("getTestDetails", "flaky-tests/get-test-details"),
    getMergeQueueMetrics: (of) => {
      const query = of ? `?${new URLSearchParams({ ...of })}` : "";
      const url = endpointUrl(options, "getMergeQueueMetrics") + query;
      const asked = { method: "GET", url, headers: { ...headers, accept: "text/plain" }, timeoutMs };
      return withRetries(() => exchangeText(fetch, asked), retry);
    }
  };
}
function endpointUrl({ baseUrl }, path) {
  return `${baseUrl.replace(/\/+$/, "").replace(/\/v1$/, "")}/v1/${path}`;
}
function headersOf(options) {
  const { token, workflowToken, forkedWorkflowRunId, userAgent } = options;
  return {
    accept: "application/json",
    "content-type": "application/json",
    ...userAgent ? { "user-agent": userAgent } : {},
    ...token ? { "x-api-token": token } : {},
    ...workflowToken ? { authorization: `Bearer ${workflowToken}` } : {},
    ...forkedWorkflowRunId ? { "x-forked-workflow-run-id": forkedWorkflowRunId } : {}
  };
}
export {
  ApiError,
  NetworkError,
  createClient
};

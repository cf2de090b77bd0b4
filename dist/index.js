// src/action/main.ts
import { tmpdir } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";

// node_modules/@actions/core/lib/command.js
import * as os from "os";

// node_modules/@actions/core/lib/utils.js
function toCommandValue(input) {
  if (input === null || input === void 0) {
    return "";
  } else if (typeof input === "string" || input instanceof String) {
    return input;
  }
  return JSON.stringify(input);
}
function toCommandProperties(annotationProperties) {
  if (!Object.keys(annotationProperties).length) {
    return {};
  }
  return {
    title: annotationProperties.title,
    file: annotationProperties.file,
    line: annotationProperties.startLine,
    endLine: annotationProperties.endLine,
    col: annotationProperties.startColumn,
    endColumn: annotationProperties.endColumn
  };
}

// node_modules/@actions/core/lib/command.js
function issueCommand(command, properties, message) {
  const cmd = new Command(command, properties, message);
  process.stdout.write(cmd.toString() + os.EOL);
}
var CMD_STRING = "::";
var Command = class {
  constructor(command, properties, message) {
    if (!command) {
      command = "missing.command";
    }
    this.command = command;
    this.properties = properties;
    this.message = message;
  }
  toString() {
    let cmdStr = CMD_STRING + this.command;
    if (this.properties && Object.keys(this.properties).length > 0) {
      cmdStr += " ";
      let first = true;
      for (const key in this.properties) {
        if (this.properties.hasOwnProperty(key)) {
          const val = this.properties[key];
          if (val) {
            if (first) {
              first = false;
            } else {
              cmdStr += ",";
            }
            cmdStr += `${key}=${escapeProperty(val)}`;
          }
        }
      }
    }
    cmdStr += `${CMD_STRING}${escapeData(this.message)}`;
    return cmdStr;
  }
};
function escapeData(s) {
  return toCommandValue(s).replace(/%/g, "%25").replace(/\r/g, "%0D").replace(/\n/g, "%0A");
}
function escapeProperty(s) {
  return toCommandValue(s).replace(/%/g, "%25").replace(/\r/g, "%0D").replace(/\n/g, "%0A").replace(/:/g, "%3A").replace(/,/g, "%2C");
}

// node_modules/@actions/core/lib/file-command.js
import * as crypto from "crypto";
import * as fs from "fs";
import * as os2 from "os";
function issueFileCommand(command, message) {
  const filePath = process.env[`GITHUB_${command}`];
  if (!filePath) {
    throw new Error(`Unable to find environment variable for file command ${command}`);
  }
  if (!fs.existsSync(filePath)) {
    throw new Error(`Missing file at path: ${filePath}`);
  }
  fs.appendFileSync(filePath, `${toCommandValue(message)}${os2.EOL}`, {
    encoding: "utf8"
  });
}
function prepareKeyValueMessage(key, value) {
  const delimiter = `ghadelimiter_${crypto.randomUUID()}`;
  const convertedValue = toCommandValue(value);
  if (key.includes(delimiter)) {
    throw new Error(`Unexpected input: name should not contain the delimiter "${delimiter}"`);
  }
  if (convertedValue.includes(delimiter)) {
    throw new Error(`Unexpected input: value should not contain the delimiter "${delimiter}"`);
  }
  return `${key}<<${delimiter}${os2.EOL}${convertedValue}${os2.EOL}${delimiter}`;
}

// node_modules/@actions/core/lib/core.js
import * as os3 from "os";
var ExitCode;
(function(ExitCode2) {
  ExitCode2[ExitCode2["Success"] = 0] = "Success";
  ExitCode2[ExitCode2["Failure"] = 1] = "Failure";
})(ExitCode || (ExitCode = {}));
function setSecret(secret) {
  issueCommand("add-mask", {}, secret);
}
function getInput(name, options) {
  const val = process.env[`INPUT_${name.replace(/ /g, "_").toUpperCase()}`] || "";
  if (options && options.required && !val) {
    throw new Error(`Input required and not supplied: ${name}`);
  }
  if (options && options.trimWhitespace === false) {
    return val;
  }
  return val.trim();
}
function setOutput(name, value) {
  const filePath = process.env["GITHUB_OUTPUT"] || "";
  if (filePath) {
    return issueFileCommand("OUTPUT", prepareKeyValueMessage(name, value));
  }
  process.stdout.write(os3.EOL);
  issueCommand("set-output", { name }, toCommandValue(value));
}
function error(message, properties = {}) {
  issueCommand("error", toCommandProperties(properties), message instanceof Error ? message.toString() : message);
}
function warning(message, properties = {}) {
  issueCommand("warning", toCommandProperties(properties), message instanceof Error ? message.toString() : message);
}
function notice(message, properties = {}) {
  issueCommand("notice", toCommandProperties(properties), message instanceof Error ? message.toString() : message);
}
function info(message) {
  process.stdout.write(message + os3.EOL);
}

// node_modules/@actions/github/lib/context.js
import { readFileSync, existsSync as existsSync2 } from "fs";
import { EOL as EOL4 } from "os";
var Context = class {
  /**
   * Hydrate the context from the environment
   */
  constructor() {
    var _a, _b, _c;
    this.payload = {};
    if (process.env.GITHUB_EVENT_PATH) {
      if (existsSync2(process.env.GITHUB_EVENT_PATH)) {
        this.payload = JSON.parse(readFileSync(process.env.GITHUB_EVENT_PATH, { encoding: "utf8" }));
      } else {
        const path = process.env.GITHUB_EVENT_PATH;
        process.stdout.write(`GITHUB_EVENT_PATH ${path} does not exist${EOL4}`);
      }
    }
    this.eventName = process.env.GITHUB_EVENT_NAME;
    this.sha = process.env.GITHUB_SHA;
    this.ref = process.env.GITHUB_REF;
    this.workflow = process.env.GITHUB_WORKFLOW;
    this.action = process.env.GITHUB_ACTION;
    this.actor = process.env.GITHUB_ACTOR;
    this.job = process.env.GITHUB_JOB;
    this.runAttempt = parseInt(process.env.GITHUB_RUN_ATTEMPT, 10);
    this.runNumber = parseInt(process.env.GITHUB_RUN_NUMBER, 10);
    this.runId = parseInt(process.env.GITHUB_RUN_ID, 10);
    this.apiUrl = (_a = process.env.GITHUB_API_URL) !== null && _a !== void 0 ? _a : `https://api.github.com`;
    this.serverUrl = (_b = process.env.GITHUB_SERVER_URL) !== null && _b !== void 0 ? _b : `https://github.com`;
    this.graphqlUrl = (_c = process.env.GITHUB_GRAPHQL_URL) !== null && _c !== void 0 ? _c : `https://api.github.com/graphql`;
  }
  get issue() {
    const payload = this.payload;
    return Object.assign(Object.assign({}, this.repo), { number: (payload.issue || payload.pull_request || payload).number });
  }
  get repo() {
    if (process.env.GITHUB_REPOSITORY) {
      const [owner, repo] = process.env.GITHUB_REPOSITORY.split("/");
      return { owner, repo };
    }
    if (this.payload.repository) {
      return {
        owner: this.payload.repository.owner.login,
        repo: this.payload.repository.name
      };
    }
    throw new Error("context.repo requires a GITHUB_REPOSITORY environment variable like 'owner/repo'");
  }
};

// node_modules/@actions/github/lib/github.js
var context = new Context();

// src/action/actions-runner.ts
import { appendFile } from "node:fs/promises";
var maxSummaryBytes = 1e6;
var annotations = { notice, warning, error };
function createActionsRunner(summaryFile) {
  const secrets = [];
  const clean = (text2) => secrets.reduce((cleaned, secret) => cleaned.replaceAll(secret, "***"), text2);
  return {
    mask(secret) {
      setSecret(secret);
      secrets.push(secret);
    },
    log(line) {
      info(clean(line).replaceAll(new RegExp("\\p{Cc}+", "gu"), " "));
    },
    annotate(level, title, message) {
      annotations[level](clean(message), { title: `Trainyard: ${clean(title)}` });
    },
    output(name, value) {
      setOutput(name, clean(value));
    },
    async summarise(markdown) {
      if (!summaryFile) return;
      const bytes = Buffer.from(`${clean(markdown)}
`);
      try {
        await appendFile(summaryFile, bytes.subarray(0, maxSummaryBytes));
      } catch (cause) {
        warning(`The summary could not be written: ${String(cause)}`);
      }
    }
  };
}

// src/action/child-environment.ts
function childEnvironment(env2) {
  return Object.fromEntries(Object.entries(env2).filter(([name]) => !/^(INPUT_|ACTIONS_)/i.test(name)));
}

// src/action/proxies.ts
import { spawn } from "node:child_process";
import { once } from "node:events";
import http from "node:http";
var variables = ["http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"];
async function useProxies(env2, argv) {
  const isNeeded = variables.some((name) => env2[name]) && env2.NODE_USE_ENV_PROXY !== "1";
  if (!isNeeded) return null;
  if (typeof http.setGlobalProxyFromEnv === "function") {
    http.setGlobalProxyFromEnv();
    return null;
  }
  const child = spawn(process.execPath, argv, {
    env: { ...env2, NODE_USE_ENV_PROXY: "1" },
    stdio: "inherit"
  });
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill(signal));
  const [code2] = await once(child, "close");
  return code2 ?? 1;
}

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
  /** What went wrong, for programs: `QUEUE_NOT_FOUND`. Null when the answer is not the service's own. */
  code;
  /** What went wrong and what to do about it, for people. */
  detail;
  /** What is wrong with the request's fields. */
  errors;
  /** How long the service asks to wait before trying again. */
  retryAfterMs;
  /** By which the service's log tells more. */
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
function isTransient(error2) {
  if (error2 instanceof NetworkError) return true;
  return error2 instanceof ApiError && (error2.status >= 500 || error2.status === 429);
}

// src/client/exchange.ts
async function exchange(fetch, { url, headers, body, timeoutMs: timeoutMs2 }) {
  const { response, text: text2 } = await answerOf(url, timeoutMs2, async (signal) => {
    const response2 = await fetch(url, {
      method: "POST",
      headers: { ...headers, ...lengthHeader(body) },
      ...bodyInit(body),
      signal,
      redirect: "manual"
    });
    return { response: response2, text: await response2.text() };
  });
  const answer = parseJson(text2);
  if (response.ok && answer !== void 0) return answer;
  throw new ApiError({
    ...failureOf(url, response, answer),
    status: response.status,
    retryAfterMs: retryAfterMs(response.headers)
  });
}
async function answerOf(url, timeoutMs2, ask) {
  const signal = AbortSignal.timeout(timeoutMs2);
  try {
    return await ask(signal);
  } catch (error2) {
    const { origin } = new URL(url);
    if (signal.aborted) {
      throw new NetworkError("timeout", `${origin} did not answer within ${timeoutMs2 / 1e3} s.`, error2);
    }
    throw new NetworkError("network", `${origin} did not answer: ${reasonOf(error2)}.`, error2);
  }
}
function failureOf(url, response, answer) {
  if (isProblem(answer)) {
    const { code: code2, detail, errors = [], instance } = answer;
    return { code: code2, detail, errors, requestId: instance };
  }
  const location = response.headers.get("location");
  const what = location ? `redirects to ${location}` : `answered ${response.status}, but not as Trainyard does`;
  return { code: null, detail: `${url} ${what}. Is the address right?`, errors: [], requestId: null };
}
function isProblem(answer) {
  return typeof answer === "object" && answer !== null && "code" in answer && "detail" in answer;
}
function parseJson(text2) {
  try {
    return JSON.parse(text2);
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
function reasonOf(error2) {
  if (!Error.isError(error2)) return String(error2);
  if (error2.cause !== void 0) return reasonOf(error2.cause);
  return error2.message || ("code" in error2 ? String(error2.code) : error2.name);
}

// src/client/retry.ts
async function withRetries(attempt, options) {
  const { attempts: attempts2, maxDelayMs = 6e4, sleep: sleep2 = sleepFor } = options;
  for (let failures = 1; ; failures++) {
    try {
      return await attempt();
    } catch (error2) {
      if (!isTransient(error2) || failures >= attempts2) throw error2;
      const asked = error2 instanceof ApiError ? error2.retryAfterMs : null;
      if (asked !== null && asked > maxDelayMs) throw error2;
      await sleep2(asked ?? backoffMs(failures, maxDelayMs, options));
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
  const { fetch = globalThis.fetch, timeoutMs: timeoutMs2 = 3e4, retry = { attempts: 1 } } = options;
  const headers = headersOf(options);
  function call(name) {
    return async (request) => {
      const posted = { url: endpointUrl(options, name), headers, body: JSON.stringify(request), timeoutMs: timeoutMs2 };
      return await withRetries(() => exchange(fetch, posted), retry);
    };
  }
  return {
    submitPullRequest: call("submitPullRequest"),
    cancelPullRequest: call("cancelPullRequest"),
    restartTestsOnPullRequest: call("restartTestsOnPullRequest"),
    getSubmittedPullRequest: call("getSubmittedPullRequest"),
    getSubmittedPullRequests: call("getSubmittedPullRequests"),
    listPullRequests: call("listPullRequests"),
    explainPullRequest: call("explainPullRequest"),
    getMergeQueueTestingDetails: call("getMergeQueueTestingDetails"),
    setImpactedTargets: call("setImpactedTargets"),
    createQueue: call("createQueue"),
    deleteQueue: call("deleteQueue"),
    getQueue: call("getQueue"),
    updateQueue: call("updateQueue"),
    listAuditLog: call("listAuditLog"),
    createWebhook: call("createWebhook"),
    listWebhooks: call("listWebhooks"),
    updateWebhook: call("updateWebhook"),
    deleteWebhook: call("deleteWebhook"),
    listWebhookDeliveries: call("listWebhookDeliveries"),
    resendWebhookDelivery: call("resendWebhookDelivery")
  };
}
function endpointUrl({ baseUrl }, name) {
  return `${baseUrl.replace(/\/+$/, "").replace(/\/v1$/, "")}/v1/${name}`;
}
function headersOf({ token, forkedWorkflowRunId, userAgent }) {
  return {
    accept: "application/json",
    "content-type": "application/json",
    ...userAgent ? { "user-agent": userAgent } : {},
    ...token ? { "x-api-token": token } : {},
    ...forkedWorkflowRunId ? { "x-forked-workflow-run-id": forkedWorkflowRunId } : {}
  };
}

// src/action/describe-entry.ts
function describeEntry(entry) {
  return described(entry, entry.position === null ? [] : [`position ${entry.position}`]);
}
function describeProgress(entry, now) {
  const { position, forecast } = entry;
  return described(entry, [
    ...position === null ? [] : [`position ${position}`, `${position - 1} ahead`],
    // Based on nothing, it is but a guess.
    ...forecast === null || forecast.basedOn === 0 ? [] : [mergesIn(forecast, now)]
  ]);
}
function described(entry, place) {
  const where = place.length === 0 ? "" : ` (${place.join(", ")})`;
  return `${stateText(entry)}${where}: ${entry.why.at(-1)?.text ?? entry.reason}`;
}
function mergesIn({ p50, p90 }, now) {
  const [likely, worst] = [p50, p90].map((time) => Math.max(1, Math.ceil((Date.parse(time) - now) / 6e4)));
  return `merges in about ${likely} min${likely === worst ? "" : `, at worst ${worst}`}`;
}
function stateText({ state }) {
  return state.replaceAll("_", " ");
}
function entryOutputs(entry) {
  return { state: entry.state, reason: entry.reason, "test-run-id": entry.verifiedByTestRun ?? "" };
}

// src/engine/entry.ts
function isTerminal(state) {
  return state === "merged" || state === "failed" || state === "cancelled";
}

// src/action/progress.ts
var reminderMs = 6e4;
var Progress = class {
  #shown = "";
  #shownAt = 0;
  /** The line to write now; null = none. */
  lineFor(entry, now) {
    const key = `${entry.state} ${entry.position} ${entry.reason}`;
    const isNews = key !== this.#shown;
    if (!isNews && now - this.#shownAt < reminderMs) return null;
    this.#shown = key;
    this.#shownAt = now;
    return `#${entry.prNumber} is ${isNews ? "" : "still "}${describeProgress(entry, now)}`;
  }
};

// src/action/follow.ts
var pauses = { first: 500, factor: 1.5 };
var defaultLongestPauseMs = 15e3;
var complaintMs = 6e4;
function loadEntry({ client, subject }) {
  return client.getSubmittedPullRequest({ ...subject.queue, pr: { number: subject.pr } });
}
async function follow(first, step, { timeoutMs: timeoutMs2, longestPauseMs: longestPauseMs2 = defaultLongestPauseMs, show }) {
  const { clock, runner, signal } = step;
  const progress = new Progress();
  const deadline = clock.now() + timeoutMs2;
  let entry = first;
  let pause = pauses.first;
  let complainedAt = Number.NEGATIVE_INFINITY;
  for (; ; ) {
    const line = progress.lineFor(entry, clock.now());
    if (line !== null) runner.log(line);
    await show?.(entry);
    if (isTerminal(entry.state)) return { entry, ended: "terminal" };
    if (signal.aborted) return { entry, ended: "interrupted" };
    const left = deadline - clock.now();
    if (left <= 0) return { entry, ended: "timeout" };
    await clock.sleep(Math.min(pause, left), signal);
    const next = signal.aborted ? entry : await look();
    pause = hasChanged(entry, next) ? pauses.first : Math.min(pause * pauses.factor, longestPauseMs2);
    entry = next;
  }
  async function look() {
    try {
      return await loadEntry(step);
    } catch (error2) {
      if (!isTransient(error2)) throw error2;
      if (clock.now() - complainedAt >= complaintMs) {
        complainedAt = clock.now();
        runner.log(`${error2.message} Still waiting.`);
      }
      return entry;
    }
  }
}
function verdictOf({ entry: { state }, ended }) {
  if (state === "merged" || state === "failed" || state === "cancelled") return state;
  return ended === "interrupted" ? "interrupted" : "timed-out";
}
function hasChanged(before, after) {
  return before.stateChangedAt !== after.stateChangedAt || before.position !== after.position;
}

// src/action/never-submitted.ts
async function loadSubmitted(step) {
  try {
    return await loadEntry(step);
  } catch (error2) {
    if (error2 instanceof ApiError && error2.code === "NEVER_SUBMITTED") return null;
    throw error2;
  }
}
function neverSubmitted({ subject: { pr, queue } }, consequence) {
  return {
    verdict: "never-submitted",
    isFailure: false,
    title: "Not in the queue",
    message: `#${pr} was never submitted to the queue of ${queue.targetBranch}; ${consequence}.`,
    outputs: {},
    details: []
  };
}

// src/action/summary.ts
function renderSummary({ command, isFailure, title, message, subject, details }) {
  return [
    `### Trainyard ${command}: ${escapeMarkdown(title)}`,
    "",
    ...subject ? [subjectLine(subject), ""] : [],
    `${isFailure ? "**Failed.** " : ""}${escapeMarkdown(message)}`,
    "",
    ...details,
    ""
  ].join("\n");
}
function renderChain({ why }) {
  return why.map(({ text: text2, since }) => `- ${escapeMarkdown(text2)} (since ${since})`);
}
function escapeMarkdown(text2) {
  return text2.replaceAll(/\s+/g, " ").replaceAll(/[\\`*_{}[\]<>#|~&@!]/g, "\\$&");
}
function code(text2) {
  const fence = "`".repeat(Math.max(0, ...(text2.match(/`+/g) ?? []).map(({ length }) => length)) + 1);
  return `${fence} ${text2.replaceAll(/\s+/g, " ")} ${fence}`;
}
function subjectLine({ pr, url, queue: { repo, targetBranch } }) {
  return `[${escapeMarkdown(`${repo.owner}/${repo.name}`)}#${pr}](${url}), queue of ${code(targetBranch)}`;
}

// src/action/commands/cancel.ts
async function cancel({ dryRun: dryRun3 }, step) {
  const { queue, pr } = step.subject;
  if (dryRun3) return wouldCancel(step);
  const before = await loadSubmitted(step);
  if (before === null) return neverSubmitted(step, "there is nothing to cancel");
  const entry = await step.client.cancelPullRequest({ ...queue, pr: { number: pr }, via: "action" });
  const isCancelled = entry.state === "cancelled";
  return {
    verdict: isCancelled ? "cancelled" : "skipped",
    isFailure: false,
    title: isCancelled ? "Cancelled" : `Already ${stateText(entry)}`,
    message: `#${pr} is ${describeEntry(entry)}.`,
    outputs: entryOutputs(entry),
    details: renderChain(entry)
  };
}
function wouldCancel({ subject: { pr, queue } }) {
  const message = `Would take #${pr} out of the queue of ${queue.targetBranch}.`;
  return { verdict: "dry-run", isFailure: false, title: "Dry run", message, outputs: {}, details: [] };
}

// src/action/child-process.ts
import { spawn as spawn2 } from "node:child_process";
import { once as once2 } from "node:events";

// src/action/split-items.ts
var maxItem = 1024 * 1024;
async function* splitItems(stream, separator) {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of stream) {
    const items = (rest + decoder.decode(chunk, { stream: true })).split(separator);
    rest = items.pop() ?? "";
    if (rest.length > maxItem) throw new Error("it printed an item of more than 1 MiB");
    const whole = items.filter((item) => item !== "");
    if (whole.length > 0) yield whole;
  }
  rest += decoder.decode();
  if (rest !== "") yield [rest];
}

// src/action/child-process.ts
var ProgramFailed = class extends Error {
  name = "ProgramFailed";
  isMissing;
  exit;
  constructor(message, exit, isMissing = false) {
    super(message);
    this.exit = exit;
    this.isMissing = isMissing;
  }
};
var hasProcessGroups = process.platform !== "win32";
var keptStderr = 4096;
async function* itemsPrintedBy(program, separator, stderr) {
  const { file, args, cwd, env: env2, signal } = program;
  const stdio = ["ignore", "pipe", stderr === "log" ? "inherit" : "pipe"];
  const child = spawn2(file, args, { cwd, env: env2, stdio, detached: hasProcessGroups });
  const exit = exitOf(child);
  const end = () => endGroup(child);
  let isOver = false;
  signal.addEventListener("abort", end, { once: true });
  try {
    await started(child, program);
    signal.throwIfAborted();
    if (child.stdout) yield* splitItems(child.stdout, separator);
    const ended = await exit;
    isOver = true;
    if (ended.code !== 0) throw new ProgramFailed(failureText(program, ended), ended);
  } catch (error2) {
    signal.throwIfAborted();
    throw error2;
  } finally {
    signal.removeEventListener("abort", end);
    if (!isOver) end();
  }
}
function endGroup(child) {
  child.stdout?.destroy();
  if (child.pid === void 0 || !hasProcessGroups) return void child.kill("SIGKILL");
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
  }
}
async function started(child, { file }) {
  try {
    await once2(child, "spawn");
  } catch (error2) {
    const isMissing = error2 instanceof Error && "code" in error2 && error2.code === "ENOENT";
    if (isMissing) throw new ProgramFailed(`${file} is not installed on this runner`, null, true);
    throw error2;
  }
}
function exitOf(child) {
  let stderr = "";
  child.stderr?.setEncoding("utf8").on("data", (text2) => {
    stderr = (stderr + text2).slice(-keptStderr);
  });
  return new Promise((resolve) => {
    child.once(
      "close",
      (code2, signal) => resolve({ code: code2, signal, stderr: stderr.trim() })
    );
  });
}
function failureText({ label }, { code: code2, signal, stderr }) {
  const how = code2 === null ? `was ended by ${signal}` : `ended with exit code ${code2}`;
  return `${label} ${how}${stderr === "" ? "" : `: ${stderr}`}`;
}

// src/action/step-error.ts
var StepError = class extends Error {
  name = "StepError";
  title;
  /** @param message sentences that end with what to do. */
  constructor(title, message, options) {
    super(message, options);
    this.title = title;
  }
};

// src/action/git/git.ts
function gitItems(git, separator, ...args) {
  const env2 = { ...git.env, GIT_TERMINAL_PROMPT: "0", LC_ALL: "C" };
  return itemsPrintedBy({ ...git, env: env2, file: "git", label: `git ${args[0]}`, args }, separator, "keep");
}
async function gitLine(git, ...args) {
  let first = null;
  try {
    for await (const lines of gitItems(git, "\n", ...args)) first ??= lines[0] ?? null;
  } catch (error2) {
    if (error2 instanceof ProgramFailed && error2.exit?.code === 1) return null;
    throw error2;
  }
  return first;
}

// src/action/git/merge-base.ts
var wholeHistory = "give actions/checkout `fetch-depth: 0` (with `filter: blob:none` it stays small)";
async function findMergeBase(git, branch, headSha) {
  const isShallow = await shallowness(git);
  if (isShallow === "true") {
    throw new StepError(
      "The checkout is shallow",
      `The history it lacks could hide changes; ${wholeHistory}.`
    );
  }
  const target = await commitAt(git, `refs/remotes/origin/${branch}`);
  if (target === null) {
    throw new StepError(
      "The target branch is not here",
      `The checkout does not hold origin/${branch}; ${wholeHistory}, which fetches every branch.`
    );
  }
  if (await commitAt(git, headSha) === null) {
    throw new StepError(
      "The head is not here",
      `The checkout does not hold the pull request's head ${headSha.slice(0, 12)}; ${wholeHistory} on the event pull_request, or fetch refs/pull/NUMBER/head first.`
    );
  }
  const base = await gitLine(git, "merge-base", target, headSha);
  if (base !== null) return base;
  throw new StepError(
    "No merge base",
    `The pull request and ${branch} share no history, so that its changes cannot be told. Rebase it onto ${branch}.`
  );
}
async function shallowness(git) {
  try {
    return await gitLine(git, "rev-parse", "--is-shallow-repository");
  } catch (error2) {
    if (!(error2 instanceof ProgramFailed)) throw error2;
    const advice2 = error2.isMissing ? "Install git on the runner, or use the provider `all`." : "Run actions/checkout with `fetch-depth: 0` before this step.";
    throw new StepError("There is no checkout to look at", `${error2.message}. ${advice2}`, { cause: error2 });
  }
}
async function commitAt(git, name) {
  try {
    return await gitLine(git, "rev-parse", "--quiet", "--verify", "--end-of-options", `${name}^{commit}`);
  } catch (error2) {
    if (error2 instanceof ProgramFailed) return null;
    throw error2;
  }
}

// src/action/providers/command.ts
var bash = ["--noprofile", "--norc", "-eo", "pipefail", "-c"];
function targetsByCommand(shellCommand, { git, baseSha, headSha }) {
  const env2 = { ...git.env, TRAINYARD_BASE_SHA: baseSha, TRAINYARD_HEAD_SHA: headSha };
  const program = { ...git, env: env2, file: "bash", label: "targets-command", args: [...bash, shellCommand] };
  return { all: false, targets: trimmed(itemsPrintedBy(program, "\n", "log")) };
}
async function* trimmed(batches) {
  for await (const lines of batches) yield lines.map((line) => line.trim()).filter((line) => line !== "");
}

// src/action/git/changed-files.ts
function changedFiles(git, baseSha, headSha) {
  const flags = ["-r", "--name-only", "-z", "--no-renames", "--ignore-submodules=none"];
  return gitItems(git, "\0", "diff-tree", ...flags, baseSha, headSha);
}

// src/action/targets/glob.ts
var tokens = /\\.|(?<=^|\/)\*\*\/|\*+|\[[^\]]*\]|./gsu;
function compileGlob(glob) {
  let depth = 0;
  let source = "";
  for (const [token] of glob.replace(/^\.?\//, "").replace(/\/$/, "/**").matchAll(tokens)) {
    if (token === "{") depth += 1;
    if (token === "}") depth -= 1;
    if (depth < 0 || token === "[") throw new SyntaxError(`unmatched ${token}`);
    source += token === "," && depth > 0 ? "|" : expression(token);
  }
  if (depth > 0) throw new SyntaxError("unmatched {");
  return new RegExp(`^(?:${source})$`, "su");
}
function expression(token) {
  switch (token[0]) {
    case "*":
      if (token.endsWith("/")) return "(?:.*/)?";
      return token === "*" ? "[^/]*" : ".*";
    case "?":
      return "[^/]";
    case "[":
      return bracket(token.slice(1, -1));
    case "{":
      return "(?:";
    case "}":
      return ")";
    case "\\":
      return literal(token.slice(1));
    default:
      return literal(token);
  }
}
function bracket(inside) {
  const isNegated = /^[!^]/.test(inside);
  const characters = (isNegated ? inside.slice(1) : inside).replaceAll(/[\\[\]^]/g, "\\$&");
  if (characters === "") throw new SyntaxError("empty brackets");
  return isNegated ? `[^/${characters}]` : `[${characters}]`;
}
function literal(character) {
  return character.replace(/[\\^$.*+?()[\]{}|/]/, "\\$&");
}

// src/action/targets/glob-list.ts
function splitGlobs(text2) {
  const globs = text2.match(/(?:\{[^}]*\}|[^,])+/g) ?? [];
  return globs.map((glob) => glob.trim()).filter((glob) => glob !== "");
}
function globProblem(glob) {
  try {
    compileGlob(glob);
    return null;
  } catch {
    return `has the glob "${glob}", which cannot be read; use *, **, ?, [abc] and {a,b}`;
  }
}

// src/action/targets/path-rules.ts
var noTarget = "none";
function parsePathRules(text2) {
  const rules = [];
  const problems = [];
  for (const [index, line] of text2.split(/\r?\n/).entries()) {
    const content = line.replace(/(^|\s)#.*$/, "").trim();
    if (content === "") continue;
    const rule = parseRule(content);
    if (typeof rule === "string") problems.push(`line ${index + 1} ${rule}`);
    else rules.push(rule);
  }
  return { rules, problems };
}
function parseRule(line) {
  const [, target = "", list = ""] = /^(.+):(?:\s+(.*))?$/.exec(line) ?? [];
  const globs = splitGlobs(list);
  if (target === "" || globs.length === 0) return `is "${line}"; write \`name: glob, glob\``;
  return globs.map(globProblem).find((problem) => problem !== null) ?? { target: target.trim(), globs };
}

// src/action/providers/paths.ts
async function targetsByPaths(rules, change) {
  const matchers = rules.flatMap(
    ({ target, globs }) => globs.map((glob) => ({ target, pattern: compileGlob(glob) }))
  );
  const impacted = /* @__PURE__ */ new Set();
  for await (const paths of changedFiles(change.git, change.baseSha, change.headSha)) {
    for (const path of paths) {
      let isNamed = false;
      for (const { target, pattern } of matchers) {
        if (isNamed && impacted.has(target) || !pattern.test(path)) continue;
        isNamed = true;
        impacted.add(target);
      }
      if (!isNamed) return { all: true, because: `no line of targets-paths names ${path}` };
    }
  }
  impacted.delete(noTarget);
  return { all: false, targets: batched([...impacted]) };
}
async function firstGlobalFile(globs, change) {
  if (globs.length === 0) return null;
  const patterns = globs.map(compileGlob);
  for await (const paths of changedFiles(change.git, change.baseSha, change.headSha)) {
    const found = paths.find((path) => patterns.some((pattern) => pattern.test(path)));
    if (found !== void 0) return found;
  }
  return null;
}
async function* batched(targets) {
  yield targets;
}

// src/action/targets/targets-body.ts
var maxBodyBytes = 20 * 1024 * 1024;
var maxTargetBytes = 4096;
var chunkBytes = 256 * 1024;
var TargetsBody = class {
  #limit;
  #suffix = "]}";
  #chunks = [];
  #chunk = Buffer.alloc(0);
  #used = 0;
  #bytes = 0;
  #count = 0;
  /** @param request everything but the targets. */
  constructor(request, limit = maxBodyBytes) {
    this.#limit = limit;
    this.#append(JSON.stringify({ ...request, impactedTargets: [] }).slice(0, -this.#suffix.length));
  }
  /** How many targets were added. */
  get count() {
    return this.#count;
  }
  /** Of the whole body, in UTF-8. */
  get byteLength() {
    return this.#bytes + this.#suffix.length;
  }
  get isTooLarge() {
    return this.byteLength > this.#limit;
  }
  /** @throws RangeError when the service would not take the target. */
  add(target) {
    const problem = targetProblem(target);
    if (problem !== null) throw new RangeError(`target ${this.#count + 1} ${problem}`);
    this.#append(`${this.#count === 0 ? "" : ","}${JSON.stringify(target)}`);
    this.#count += 1;
  }
  /** The whole body; null when it is too large. Nothing can be added afterwards. */
  finish() {
    if (this.isTooLarge) return null;
    this.#flush();
    return { chunks: [...this.#chunks, Buffer.from(this.#suffix)], byteLength: this.byteLength };
  }
  #append(json) {
    if (this.isTooLarge) {
      this.#bytes += Buffer.byteLength(json);
      return;
    }
    if (this.#used + json.length * 3 > this.#chunk.length) this.#grow(json.length * 3);
    const written = this.#chunk.write(json, this.#used);
    this.#used += written;
    this.#bytes += written;
    if (this.isTooLarge) this.#drop();
  }
  #grow(atLeast) {
    this.#flush();
    this.#chunk = Buffer.from(new ArrayBuffer(Math.max(chunkBytes, atLeast)));
  }
  #flush() {
    if (this.#used > 0) this.#chunks.push(this.#chunk.subarray(0, this.#used));
    this.#chunk = this.#chunk.subarray(this.#used);
    this.#used = 0;
  }
  #drop() {
    this.#chunks = [];
    this.#chunk = Buffer.alloc(0);
    this.#used = 0;
  }
};
function targetProblem(target) {
  if (target.includes("\0")) return "contains a NUL character";
  const isLong = target.length * 3 > maxTargetBytes && Buffer.byteLength(target) > maxTargetBytes;
  return isLong ? `is longer than ${maxTargetBytes} bytes: ${target.slice(0, 40)}…` : null;
}

// src/action/targets/targets-file.ts
import { once as once3 } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { finished } from "node:stream/promises";
var TargetsFile = class _TargetsFile {
  path;
  #stream;
  constructor(path) {
    this.path = path;
    this.#stream = createWriteStream(path);
  }
  /** @param temporary an existing directory. */
  static async create(temporary) {
    return new _TargetsFile(join(await mkdtemp(join(temporary, "trainyard-")), "targets.txt"));
  }
  async add(targets) {
    if (targets.length > 0 && !this.#stream.write(`${targets.join("\n")}
`))
      await once3(this.#stream, "drain");
  }
  async close() {
    this.#stream.end();
    await finished(this.#stream);
  }
  /** Closes it with `ALL` instead of what was added. */
  async closeWithAll() {
    await this.close();
    await writeAll(this.path);
  }
};
async function writeAll(path) {
  await writeFile(path, "ALL\n");
}

// src/action/targets/collect-targets.ts
async function collectTargets({ request, temporary, find, explain }) {
  const file = await TargetsFile.create(temporary);
  const body = new TargetsBody(request);
  const because = await fill(body, file, find).catch((error2) => {
    return { code: "PROVIDER_FAILED", text: explain(error2) };
  });
  const encoded = because === null ? body.finish() : null;
  if (encoded === null) await file.closeWithAll();
  else await file.close();
  const count = because?.code === "TOO_LARGE" || because === null ? body.count : null;
  return { request, body: encoded, count, because, file: file.path };
}
async function fill(body, file, find) {
  const impact = await find();
  if (impact.all) return { code: "IMPACTS_ALL", text: impact.because };
  for await (const targets of impact.targets) {
    for (const target of targets) body.add(target);
    await file.add(targets);
  }
  if (!body.isTooLarge) return null;
  const text2 = `${body.count} targets take ${body.byteLength} bytes as JSON, and 20 MiB (${maxBodyBytes}) is the most that can be posted`;
  return { code: "TOO_LARGE", text: text2 };
}

// src/action/targets/outcomes.ts
var tooLargeText = "The list was refused as too large (413), by the service or by a proxy before it. Let the proxy pass bodies of 20 MiB.";
function uploaded({ onError }, collected, { answer, wasTooLarge }) {
  const count = String(answer.targetsCount);
  const posted = `Posted ${count === "ALL" ? "ALL" : counted(count)} for head ${answer.prSha.slice(0, 12)}`;
  const why = wasTooLarge ? tooLargeText.replace(/\.$/, "") : collected.because?.text;
  const message = `${posted}${why === void 0 ? "" : `: ${why}`}.`;
  if (collected.because?.code === "PROVIDER_FAILED" && onError === "fail") {
    return {
      ...outcome(collected, count),
      verdict: "uploaded",
      isFailure: true,
      title: "The targets could not be found",
      message: `${message} That is safe but slow; see to the cause, or set on-error: all to let the step succeed.`
    };
  }
  return { ...outcome(collected, count), verdict: "uploaded", isFailure: false, title: "Uploaded", message };
}
function dryRun({ onError }, collected) {
  const { because, request } = collected;
  const what = because === null ? counted(collected.count ?? 0) : `ALL: ${because.text}`;
  const isFailure = because?.code === "PROVIDER_FAILED" && onError === "fail";
  const message = `Would post, for head ${request.pr.sha.slice(0, 12)}, ${what}.`;
  return { ...outcome(collected, null), verdict: "dry-run", isFailure, title: "Dry run", message };
}
function withoutToken({ strict }, { workflow, subject }) {
  const where = workflow.actor === "dependabot[bot]" ? "the Dependabot secrets" : "the repository's secrets";
  return {
    verdict: "skipped",
    isFailure: strict,
    title: "No token",
    message: `The input api-token is empty, so that nothing was posted and #${subject.pr} counts as impacting everything. Store an API token in ${where}, and set api-token from it.`,
    outputs: {},
    details: []
  };
}
function forkRefused({ strict }, collected, error2) {
  return {
    ...outcome(collected, null),
    verdict: "skipped",
    isFailure: strict,
    title: "Not accepted from a fork",
    message: `A fork's workflow has no secrets, so that only its run vouches for the upload, and the service did not take that: ${error2.detail} Nothing was posted, and the pull request counts as impacting everything. To upload for it, run on pull_request_target without running the fork's code.`
  };
}
function outcome({ count, file, because, body }, posted) {
  const targets = posted ?? (body === null ? "ALL" : String(count));
  return {
    outputs: { "targets-count": targets, targets: file },
    details: [
      `- targets: ${code(targets)}`,
      ...because === null ? [] : [`- everything, because ${escapeMarkdown(because.text)}`]
    ]
  };
}
function counted(count) {
  return `${count} ${String(count) === "1" ? "target" : "targets"}`;
}

// src/client/send-encoded.ts
async function sendEncoded(options, name, body) {
  const { fetch = globalThis.fetch, timeoutMs: timeoutMs2 = 3e4, retry = { attempts: 1 } } = options;
  const posted = { url: endpointUrl(options, name), headers: headersOf(options), body, timeoutMs: timeoutMs2 };
  return await withRetries(() => exchange(fetch, posted), retry);
}

// src/action/targets/upload-targets.ts
var uploadTimeoutMs = 18e4;
async function uploadTargets({ body, request }, access, { service }) {
  const { token: _, ...rest } = service;
  const options = { ...rest, ...access, timeoutMs: uploadTimeoutMs };
  const all = () => createClient(options).setImpactedTargets({ ...request, impactedTargets: "ALL" });
  if (body === null) return { answer: await all(), wasTooLarge: false };
  const answer = await sendUnlessTooLarge(options, body);
  return answer === null ? { answer: await all(), wasTooLarge: true } : { answer, wasTooLarge: false };
}
async function sendUnlessTooLarge(options, body) {
  try {
    return await sendEncoded(options, "setImpactedTargets", body);
  } catch (error2) {
    if (error2 instanceof ApiError && error2.status === 413) return null;
    throw error2;
  }
}

// src/action/commands/impacted-targets.ts
async function impactedTargets(inputs, step) {
  const { headSha } = step.subject;
  if (headSha === null) {
    throw new StepError(
      "Which head?",
      "The event does not tell the pull request's head. Run on pull_request, or give the job `pull-requests: read`."
    );
  }
  const access = accessOf(inputs, step);
  if (access === null && !inputs.dryRun) return withoutToken(inputs, step);
  const collected = await collect(inputs, step, headSha);
  const { because } = collected;
  if (because !== null && because.code !== "IMPACTS_ALL") {
    step.runner.annotate("warning", "ALL instead of a list of targets", `${because.text}.`);
  }
  if (access === null || inputs.dryRun) return dryRun(inputs, collected);
  try {
    const upload = await uploadTargets(collected, access, step);
    if (upload.wasTooLarge) {
      step.runner.annotate("warning", "ALL instead of a list of targets", tooLargeText);
      await writeAll(collected.file);
    }
    return uploaded(inputs, collected, upload);
  } catch (error2) {
    if (access.token === void 0 && isRefusal(error2)) return forkRefused(inputs, collected, error2);
    throw error2;
  }
}
function accessOf({ apiToken }, { subject, workflow }) {
  if (apiToken !== null) return { token: apiToken };
  return subject.isFromFork && workflow.runId !== null ? { forkedWorkflowRunId: workflow.runId } : null;
}
function isRefusal(error2) {
  return error2 instanceof ApiError && error2.status >= 400 && error2.status < 500 && error2.status !== 429;
}
async function collect(inputs, step, headSha) {
  const { queue, pr } = step.subject;
  const request = { ...queue, pr: { number: pr, sha: headSha } };
  const timeout = AbortSignal.timeout(inputs.timeoutMs);
  const signal = AbortSignal.any([step.signal, timeout]);
  const find = () => findImpact(inputs, step, headSha, signal);
  const explain = (error2) => {
    if (timeout.aborted) return `it did not end within ${inputs.timeoutMs / 6e4} minutes`;
    if (error2 instanceof StepError) return `${error2.title}. ${error2.message}`.replace(/\.$/, "");
    return error2 instanceof Error ? error2.message : String(error2);
  };
  const collected = await collectTargets({ request, find, explain, temporary: step.workflow.temporary });
  if (step.signal.aborted)
    throw new StepError("Cancelled", "The workflow was cancelled; nothing was posted.");
  return collected;
}
async function findImpact({ provider, impactAllPaths }, { subject, workflow, env: env2 }, headSha, signal) {
  if (provider.name === "all") return { all: true, because: "the provider is `all`" };
  const git = { cwd: workflow.workspace, env: env2, signal };
  const baseSha = await findMergeBase(git, subject.queue.targetBranch, headSha);
  const change = { git, baseSha, headSha };
  const file = await firstGlobalFile(impactAllPaths, change);
  if (file !== null) return { all: true, because: `impact-all-paths names ${file}, which it changes` };
  switch (provider.name) {
    case "paths":
      return targetsByPaths(provider.rules, change);
    case "command":
      return targetsByCommand(provider.shellCommand, change);
  }
}

// src/action/commands/restart.ts
async function restart({ dryRun: dryRun3 }, { client, subject }) {
  const { queue, pr } = subject;
  if (dryRun3) {
    const message = `Would test #${pr} again in the queue of ${queue.targetBranch}.`;
    return { verdict: "dry-run", isFailure: false, title: "Dry run", message, outputs: {}, details: [] };
  }
  const entry = await client.restartTestsOnPullRequest({ ...queue, pr: { number: pr } });
  return {
    verdict: "restarted",
    isFailure: false,
    title: "Restarted",
    message: `#${pr} is tested again: ${describeEntry(entry)}.`,
    outputs: entryOutputs(entry),
    details: renderChain(entry)
  };
}

// src/action/github/check-run.ts
var CheckRunMirror = class {
  #github;
  #path;
  #shown = "";
  #id = null;
  constructor(github, repository) {
    this.#github = github;
    this.#path = `/repos/${repository.owner}/${repository.name}`;
  }
  /** Shows the content, if it is not what is shown already. */
  async show(content) {
    const shown = JSON.stringify(content);
    if (shown === this.#shown) return;
    await this.#github.retried(() => this.#put(content));
    this.#shown = shown;
  }
  /** Looks before it creates, on every attempt: one that got no answer may have created the run. */
  async #put(content) {
    const { title, summary, status: status2, conclusion } = content;
    const changing = { status: status2, ...conclusion ? { conclusion } : {}, output: { title, summary } };
    this.#id ??= await this.#find(content);
    if (this.#id !== null) {
      await this.#github.request("PATCH", `${this.#path}/check-runs/${this.#id}`, changing);
      return;
    }
    const { name, headSha: head_sha, externalId: external_id } = content;
    const created = { name, head_sha, external_id, ...changing };
    this.#id = (await this.#github.request("POST", `${this.#path}/check-runs`, created)).id;
  }
  async #find({ name, headSha, externalId }) {
    const query = new URLSearchParams({ check_name: name, filter: "latest", per_page: "100" });
    const path = `${this.#path}/commits/${headSha}/check-runs?${query}`;
    const { check_runs } = await this.#github.request("GET", path);
    return check_runs.find((run) => run.external_id === externalId)?.id ?? null;
  }
};

// src/action/status-check.ts
var maxTitle = 250;
function renderCheck(entry, subject) {
  return {
    ...identity(subject, entry.prSha),
    ...checkStatus(entry),
    title: describeEntry(entry).slice(0, maxTitle),
    summary: renderChain(entry).join("\n")
  };
}
function unfollowedCheck(entry, subject, why) {
  const cause = why === "timeout" ? "it followed the queue for as long as it may" : "it was cancelled";
  return {
    ...identity(subject, entry.prSha),
    status: "completed",
    conclusion: "neutral",
    title: `${stateText(entry)} when last seen`,
    summary: [
      `The workflow ended because ${cause}; the pull request stays in the queue. Run the job again to follow it further.`,
      "",
      ...renderChain(entry)
    ].join("\n")
  };
}
function neverSubmittedCheck(subject, headSha) {
  return {
    ...identity(subject, headSha),
    status: "completed",
    conclusion: "neutral",
    title: "not in the queue",
    summary: `#${subject.pr} was never submitted to the queue of ${subject.queue.targetBranch}.`
  };
}
function identity({ queue, pr }, headSha) {
  const { targetBranch } = queue;
  return {
    name: `Trainyard queue (${targetBranch})`,
    headSha,
    externalId: `trainyard-queue:${targetBranch}#${pr}`
  };
}
function checkStatus({ state, merged }) {
  switch (state) {
    case "not_ready":
    case "pending":
      return { status: "queued", conclusion: null };
    case "testing":
    case "tests_passed":
    case "pending_failure":
      return { status: "in_progress", conclusion: null };
    case "merged":
      return { status: "completed", conclusion: merged && merged.proof === null ? "failure" : "success" };
    case "failed":
      return { status: "completed", conclusion: "failure" };
    case "cancelled":
      return { status: "completed", conclusion: "cancelled" };
  }
}

// src/action/commands/status.ts
var graceMs = 3e4;
var gracePauseMs = 1e3;
var longestPauseMs = 4e3;
async function status({ dryRun: dryRun3, timeoutMs: timeoutMs2 }, step) {
  const { subject, github, runner } = step;
  const entry = await awaitSubmission(step, Math.min(graceMs, timeoutMs2));
  const mirror = github && !dryRun3 ? new CheckRunMirror(github, subject.queue.repo) : null;
  if (entry === null) {
    if (subject.headSha !== null) await mirror?.show(neverSubmittedCheck(subject, subject.headSha));
    return neverSubmitted(step, "there is nothing to follow");
  }
  await mirror?.show(renderCheck(entry, subject));
  const show = async (seen) => {
    await mirror?.show(renderCheck(seen, subject)).catch((error2) => {
      if (!isTransient(error2)) throw error2;
      runner.log(`${error2.message} The check will be brought up to date later.`);
    });
  };
  const followed = await follow(entry, step, { timeoutMs: timeoutMs2, longestPauseMs, show });
  if (followed.ended === "terminal") await mirror?.show(renderCheck(followed.entry, subject));
  else await mirror?.show(unfollowedCheck(followed.entry, subject, followed.ended));
  return outcomeOf(followed);
}
async function awaitSubmission(step, patienceMs) {
  const { clock, signal, runner, subject } = step;
  const deadline = clock.now() + patienceMs;
  for (let looks = 1; ; looks++) {
    const entry = await loadSubmitted(step);
    const isFinal = entry?.isCurrentlySubmittedToQueue || entry?.state === "merged";
    if (isFinal || clock.now() >= deadline || signal.aborted) return entry;
    if (looks === 1)
      runner.log(`#${subject.pr} is not in the queue; waiting in case it is just being submitted.`);
    await clock.sleep(Math.min(gracePauseMs, deadline - clock.now()), signal);
  }
}
function outcomeOf({ entry, ended }) {
  const message = `#${entry.prNumber} is ${describeEntry(entry)}.`;
  return {
    verdict: verdictOf({ entry, ended }),
    isFailure: false,
    title: ended === "terminal" ? "Followed to the end" : "No longer followed",
    message: ended === "timeout" ? `${message} To follow it for longer, set timeout-minutes.` : message,
    outputs: entryOutputs(entry),
    details: renderChain(entry)
  };
}

// src/action/commands/submit.ts
async function submit(inputs, step) {
  const { runner, subject, client } = step;
  const { queue, pr, headSha } = subject;
  const { priority, noBatch, wait, timeoutMs: timeoutMs2 } = inputs;
  if (inputs.dryRun) return dryRun2(inputs, step);
  const entry = await client.submitPullRequest({
    ...queue,
    // The head that the workflow ran for: what was pushed since, nobody has looked at.
    pr: { number: pr, ...headSha === null ? {} : { sha: headSha } },
    ...priority === null ? {} : { priority },
    ...noBatch ? { noBatch } : {},
    via: "action"
  });
  runner.log(`Submitted #${pr} to the queue of ${queue.targetBranch} with priority ${entry.priorityName}.`);
  return wait ? waited(await follow(entry, step, { timeoutMs: timeoutMs2 }), timeoutMs2) : submitted(entry);
}
function dryRun2({ priority, noBatch }, { subject: { pr, queue } }) {
  const how = `${priority === null ? "" : `, priority ${priority}`}${noBatch ? ", alone" : ""}`;
  const message = `Would submit #${pr} to the queue of ${queue.targetBranch}${how}.`;
  return { verdict: "dry-run", isFailure: false, title: "Dry run", message, outputs: {}, details: [] };
}
function submitted(entry) {
  return {
    verdict: "submitted",
    isFailure: false,
    title: "Submitted",
    message: `#${entry.prNumber} is ${describeEntry(entry)}.`,
    outputs: entryOutputs(entry),
    details: renderChain(entry)
  };
}
function waited({ entry, ended }, timeoutMs2) {
  const verdict = verdictOf({ entry, ended });
  return {
    verdict,
    isFailure: verdict !== "merged",
    title: verdict === "merged" ? "Merged" : `Not merged: ${stateText(entry)}`,
    message: `#${entry.prNumber} is ${describeEntry(entry)}. ${nextStep(verdict, timeoutMs2)}`.trim(),
    outputs: entryOutputs(entry),
    details: renderChain(entry)
  };
}
function nextStep(verdict, timeoutMs2) {
  switch (verdict) {
    case "failed":
    case "cancelled":
      return "See to the cause, then submit it again.";
    case "interrupted":
      return "The workflow was cancelled; the pull request stays in the queue.";
    case "timed-out":
      return `That was not decided within ${timeoutMs2 / 6e4} minutes; the pull request stays in the queue. Wait for longer with the input timeout-minutes.`;
    default:
      return "";
  }
}

// src/action/github/github-api.ts
var timeoutMs = 3e4;
var GitHubRefusal = class extends ApiError {
};
var GitHubUnreachable = class extends NetworkError {
};
var GitHubApi = class {
  #options;
  constructor(options) {
    this.#options = options;
  }
  /** Repeats what fails for a passing reason. What it repeats has to bear that. */
  retried(work) {
    return withRetries(work, this.#options.retry);
  }
  /**
   * Asks once, and answers with the JSON that came back.
   *
   * @throws GitHubRefusal for every answer but success, GitHubUnreachable when there is none.
   */
  async request(method, path, body) {
    const { apiUrl, token, fetch } = this.#options;
    const { response, text: text2 } = await this.#answer(async (signal) => {
      const response2 = await fetch(`${apiUrl}${path}`, {
        method,
        signal,
        headers: {
          accept: "application/vnd.github+json",
          authorization: `Bearer ${token}`,
          "user-agent": "trainyard-action",
          "x-github-api-version": "2022-11-28",
          ...body === void 0 ? {} : { "content-type": "application/json" }
        },
        ...body === void 0 ? {} : { body: JSON.stringify(body) }
      });
      return { response: response2, text: await response2.text() };
    });
    const answer = parseJson2(text2);
    if (response.ok) return answer;
    throw refusal(response, messageOf(answer));
  }
  async #answer(ask) {
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      return await ask(signal);
    } catch (error2) {
      const kind = signal.aborted ? "timeout" : "network";
      throw new GitHubUnreachable(kind, `GitHub at ${this.#options.apiUrl} did not answer.`, error2);
    }
  }
};
function refusal({ status: status2, headers }, message) {
  const retryAfter = Number(headers.get("retry-after") ?? Number.NaN);
  const isTooMuch = status2 === 403 && (retryAfter > 0 || headers.get("x-ratelimit-remaining") === "0");
  return new GitHubRefusal({
    status: isTooMuch ? 429 : status2,
    code: null,
    detail: `GitHub answered ${status2}: ${message}.`,
    errors: [],
    retryAfterMs: retryAfter > 0 ? retryAfter * 1e3 : null,
    requestId: headers.get("x-github-request-id")
  });
}
function messageOf(answer) {
  const message = typeof answer === "object" && answer !== null ? Reflect.get(answer, "message") : null;
  return typeof message === "string" ? message.replace(/\.$/, "") : "no reason given";
}
function parseJson2(text2) {
  try {
    return JSON.parse(text2);
  } catch {
    return null;
  }
}

// src/action/explain-error.ts
function explainError(error2, circumstances) {
  if (error2 instanceof StepError) return error2;
  if (error2 instanceof GitHubRefusal) return explainGitHub(error2);
  if (error2 instanceof GitHubUnreachable) {
    return new StepError("GitHub does not answer", `${error2.message} Run the job again later.`, {
      cause: error2
    });
  }
  if (error2 instanceof ApiError) return explainRefusal(error2, circumstances);
  if (error2 instanceof NetworkError) {
    return new StepError(
      "No answer",
      `${error2.message} Check the input api-url, and that this runner reaches that address; behind a proxy set HTTPS_PROXY in the step's env.`,
      { cause: error2 }
    );
  }
  const { message, stack = "" } = error2 instanceof Error ? error2 : new Error(String(error2));
  return new StepError(
    "Unexpected error",
    `${message}. This is a fault of the Action; please report it with these lines:
${stack}`,
    { cause: error2 }
  );
}
function explainRefusal(error2, circumstances) {
  const faults = error2.errors.map(({ path, message }) => `${path || "the body"} ${message}`).join("; ");
  const detail = faults === "" ? error2.detail : `${error2.detail} (${faults})`;
  return new StepError(titleOf(error2), [detail, advice(error2, circumstances)].join(" ").trim(), {
    cause: error2
  });
}
function explainGitHub(error2) {
  const what = [401, 403, 404].includes(error2.status) ? "Give the job the permissions that this command needs: `checks: write` for status, `pull-requests: read` where the event is not of a pull request." : "Run the job again later.";
  return new StepError("GitHub refused", `${error2.detail} ${what}`, { cause: error2 });
}
function titleOf({ status: status2, code: code2 }) {
  if (status2 === 401) return "The API token was not accepted";
  if (status2 === 403) return "The API token may not do this";
  if (status2 === 429) return "Too many requests";
  if (code2 === null) return "This is not Trainyard";
  return status2 >= 500 ? "The service failed" : "The service refused";
}
function advice({ status: status2, code: code2 }, circumstances) {
  const { repo, targetBranch } = circumstances?.subject.queue ?? {};
  if (status2 === 401) {
    const where = circumstances?.actor === "dependabot[bot]" ? "a Dependabot secret" : "a secret";
    return `Set the input api-token from ${where} that holds a token made with \`trainyard token create --organisation ${repo?.owner ?? "OWNER"} --scopes read,submit\`.`;
  }
  if (status2 === 403)
    return "Make a token with that scope, and store it in the secret that api-token is set from.";
  if (code2 === "QUEUE_NOT_FOUND") {
    return `This step asked for the queue of ${targetBranch} in ${repo?.owner}/${repo?.name}; if another is meant, set the input target-branch.`;
  }
  if (code2 === null) return "Check the input api-url.";
  if (status2 >= 500 || status2 === 429) return "Several attempts failed; run the job again later.";
  return "";
}

// src/action/github/load-pull-request.ts
async function loadPullRequest(github, { owner, name }, pr) {
  try {
    const path = `/repos/${owner}/${name}/pulls/${pr}`;
    const { head, base } = await github.retried(() => github.request("GET", path));
    const isFromFork = head.repo?.full_name !== base.repo.full_name;
    return { headSha: head.sha, baseBranch: base.ref, isFromFork };
  } catch (error2) {
    if (error2 instanceof GitHubRefusal && [401, 403, 404].includes(error2.status)) return null;
    throw error2;
  }
}

// src/engine/priority.ts
var namedPriorities = /* @__PURE__ */ new Map([
  ["urgent", 0],
  ["high", 10],
  ["medium", 100],
  ["low", 200]
]);
var maxPriority = 4294967295;
function parsePriority(input) {
  const text2 = String(input).trim().toLowerCase();
  const value = namedPriorities.get(text2) ?? (/^\d{1,10}$/.test(text2) ? Number(text2) : Number.NaN);
  if (!Number.isInteger(value) || value > maxPriority) return null;
  return { value, name: nameOf(value), isDefault: false };
}
function nameOf(value) {
  for (const [name, named] of namedPriorities) if (named === value) return name;
  return String(value);
}

// src/action/input-reader.ts
var InputReader = class {
  issues = [];
  #get;
  constructor(get) {
    this.#get = get;
  }
  fault(input, problem) {
    this.issues.push({ input, problem });
  }
  text(input) {
    return this.#get(input).trim() || null;
  }
  boolean(input) {
    const value = this.text(input)?.toLowerCase() ?? "false";
    if (value !== "true" && value !== "false") this.fault(input, `is "${value}"; use true or false`);
    return value === "true";
  }
  oneOf(input, words, otherwise) {
    const value = this.text(input);
    const word = words.find((known) => known === value?.toLowerCase());
    if (word !== void 0) return word;
    if (value === null && otherwise !== null) return otherwise;
    this.fault(input, `${value === null ? "is missing" : `is "${value}"`}; use ${listed(words)}`);
    return null;
  }
  /** The address of a service. Credentials in it are refused without being repeated. */
  url(input) {
    const value = this.text(input);
    const url = value === null ? null : URL.parse(value);
    const isWeb = url?.protocol === "https:" || url?.protocol === "http:";
    if (value === null) this.fault(input, "is missing; give the address of the service, https://…");
    else if (!url || !isWeb) this.fault(input, "is not an address; give that of the service, https://…");
    else if (url.username || url.password) this.fault(input, "holds credentials; give those as api-token");
    return url && isWeb ? url.origin + url.pathname.replace(/\/+$/, "") : "";
  }
  /** A secret. It is never repeated; one that cannot stand in a header would be, by whoever tries to send it. */
  token(input) {
    const value = this.text(input);
    if (value === null || /^[\x21-\x7e]+$/.test(value)) return value;
    this.fault(input, "holds characters that no token has, such as a line break; store the secret again");
    return null;
  }
  repository(input) {
    const value = this.text(input);
    if (value === null) return null;
    const [, owner, name] = /^([\w.-]+)\/([\w.-]+)$/.exec(value) ?? [];
    if (owner && name) return { owner, name };
    this.fault(input, `is "${value}"; use owner/name`);
    return null;
  }
  pullRequest(input) {
    const value = this.text(input);
    if (value === null) return null;
    const number = /^#?([1-9]\d{0,9})$/.exec(value)?.[1];
    if (number === void 0) this.fault(input, `is "${value}"; use the number of a pull request`);
    return number === void 0 ? null : Number(number);
  }
  minutes(input, otherwise, max) {
    const value = this.text(input);
    if (value === null) return otherwise;
    const minutes = /^\d+(\.\d+)?$/.test(value) ? Number(value) : 0;
    if (minutes > 0 && minutes <= max) return minutes;
    this.fault(input, `is "${value}"; use a number of minutes, at most ${max}`);
    return otherwise;
  }
  /** Globs between commas or on lines of their own. */
  globs(input) {
    const globs = splitGlobs(this.#get(input).replaceAll("\n", ","));
    for (const glob of globs) {
      const problem = globProblem(glob);
      if (problem !== null) this.fault(input, problem);
    }
    return globs;
  }
};
function listed(words) {
  return words.length === 1 ? words[0] ?? "" : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}

// src/action/inputs.ts
var commands = ["submit", "cancel", "restart", "impacted-targets", "status"];
var defaultTimeoutMinutes = 60;
var maxTimeoutMinutes = 7200;
function parseInputs(get) {
  const reader = new InputReader(get);
  const command = reader.oneOf("command", commands, null);
  const common = readCommon(reader);
  const inputs = command === null ? null : readCommand(reader, command, common);
  return inputs !== null && reader.issues.length === 0 ? inputs : { issues: reader.issues };
}
function readCommon(reader) {
  return {
    apiUrl: reader.url("api-url"),
    apiToken: reader.token("api-token"),
    githubToken: reader.token("github-token"),
    targetBranch: reader.text("target-branch"),
    repository: reader.repository("repository"),
    pr: reader.pullRequest("pr-number"),
    timeoutMs: reader.minutes("timeout-minutes", defaultTimeoutMinutes, maxTimeoutMinutes) * 6e4,
    dryRun: reader.boolean("dry-run"),
    strict: reader.boolean("strict")
  };
}
function readCommand(reader, command, common) {
  switch (command) {
    case "submit": {
      const wait = reader.boolean("wait");
      return {
        ...common,
        command,
        priority: readPriority(reader),
        noBatch: reader.boolean("no-batch"),
        wait
      };
    }
    case "cancel":
    case "restart":
      return { ...common, command };
    case "status":
      if (common.githubToken === null && !common.dryRun) {
        reader.fault("github-token", "is empty; leave the input out to use the job's own token");
      }
      return { ...common, command };
    case "impacted-targets":
      return {
        ...common,
        command,
        provider: readProvider(reader),
        impactAllPaths: reader.globs("impact-all-paths"),
        onError: reader.oneOf("on-error", ["fail", "all"], "fail") ?? "fail"
      };
  }
}
function readPriority(reader) {
  const priority = reader.text("priority");
  if (priority !== null && parsePriority(priority) === null) {
    reader.fault("priority", `is "${priority}"; use urgent, high, medium, low, or a number from 0`);
  }
  return priority;
}
function readProvider(reader) {
  const name = reader.oneOf("provider", ["paths", "command", "all"], null) ?? "all";
  switch (name) {
    case "paths": {
      const { rules, problems } = parsePathRules(reader.text("targets-paths") ?? "");
      for (const problem of problems) reader.fault("targets-paths", problem);
      if (rules.length === 0 && problems.length === 0) {
        reader.fault("targets-paths", "is missing; write one `name: glob, glob` a line");
      }
      return { name, rules };
    }
    case "command": {
      const shellCommand = reader.text("targets-command");
      if (shellCommand === null) {
        reader.fault("targets-command", "is missing; give a command that prints one target a line");
      }
      return { name, shellCommand: shellCommand ?? "" };
    }
    case "all":
      return { name };
  }
}

// src/action/subject.ts
async function resolveSubject(inputs, workflow, lookUp) {
  const repository = inputs.repository ?? workflow.repository;
  if (repository === null) throw new StepError("Which repository?", "Set the input repository: owner/name.");
  const own = isSameRepository(repository, workflow.repository);
  const pr = inputs.pr ?? (own ? workflow.pullRequest?.number : null) ?? null;
  if (pr === null) {
    throw new StepError(
      "Which pull request?",
      "The event that started this workflow is about none. Set the input pr-number, or run on pull_request."
    );
  }
  const told = own && workflow.pullRequest?.number === pr ? workflow.pullRequest : null;
  const isEnough = told?.headSha != null && (inputs.targetBranch ?? told.baseBranch) !== null;
  const needsHead = inputs.command === "impacted-targets";
  const facts = isEnough || inputs.targetBranch !== null && !needsHead ? told : await lookUp(repository, pr) ?? told;
  const defaultBranch = own ? workflow.defaultBranch : null;
  const targetBranch = inputs.targetBranch ?? facts?.baseBranch ?? defaultBranch;
  if (targetBranch === null) {
    throw new StepError("Which queue?", "Set the input target-branch to the branch of the queue.");
  }
  const { owner, name } = repository;
  return {
    queue: { repo: { host: workflow.host, owner, name }, targetBranch },
    pr,
    headSha: facts?.headSha ?? null,
    isFromFork: facts?.isFromFork ?? false,
    url: `${workflow.serverUrl}/${owner}/${name}/pull/${pr}`
  };
}
function isSameRepository(a, b) {
  return `${a.owner}/${a.name}`.toLowerCase() === `${b?.owner}/${b?.name}`.toLowerCase();
}

// src/action/run-action.ts
var attempts = 5;
async function runAction(world) {
  const { runner, workflow } = world;
  for (const name of ["api-token", "github-token"]) if (world.input(name)) runner.mask(world.input(name));
  const command = world.input("command");
  let subject = null;
  try {
    const inputs = parseInputs(world.input);
    if ("issues" in inputs) throw faultyInputs(inputs.issues);
    warnOfPlainHttp(inputs, runner);
    const step = await createStep(inputs, world);
    subject = step.subject;
    const outcome2 = withoutSecrets(inputs, step) ?? await carryOut(inputs, step);
    return await report(outcome2, command, subject, runner);
  } catch (error2) {
    const { title, message } = explainError(error2, subject && { subject, actor: workflow.actor });
    runner.annotate("error", title, message);
    const summary = { command, isFailure: true, title, message, subject, details: [] };
    await runner.summarise(renderSummary(summary));
    return 1;
  }
}
function carryOut(inputs, step) {
  switch (inputs.command) {
    case "submit":
      return submit(inputs, step);
    case "cancel":
      return cancel(inputs, step);
    case "restart":
      return restart(inputs, step);
    case "impacted-targets":
      return impactedTargets(inputs, step);
    case "status":
      return status(inputs, step);
  }
}
async function report(outcome2, command, subject, runner) {
  const { verdict, isFailure, title, message, outputs } = outcome2;
  for (const [name, value] of Object.entries(outputs)) runner.output(name, value);
  runner.output("verdict", verdict);
  if (isFailure) runner.annotate("error", title, message);
  else if (["skipped", "timed-out", "never-submitted"].includes(verdict))
    runner.annotate("notice", title, message);
  else runner.log(message);
  await runner.summarise(renderSummary({ ...outcome2, command, subject }));
  return isFailure ? 1 : 0;
}
async function createStep(inputs, world) {
  const { runner, workflow, fetch, clock, signal, env: env2 } = world;
  const retry = retryOptions(world);
  const { apiUrl: baseUrl, apiToken, githubToken } = inputs;
  const service = {
    baseUrl,
    ...apiToken === null ? {} : { token: apiToken },
    userAgent: "trainyard-action",
    fetch,
    retry
  };
  const github = githubToken === null ? null : new GitHubApi({ apiUrl: workflow.apiUrl, token: githubToken, fetch, retry });
  const subject = await resolveSubject(
    inputs,
    workflow,
    async (repository, pr) => github ? loadPullRequest(github, repository, pr) : null
  );
  return { subject, workflow, runner, service, client: createClient(service), github, clock, signal, env: env2 };
}
function retryOptions({ runner, clock, signal }) {
  return {
    attempts,
    sleep: async (ms) => {
      runner.log(`No good answer; trying again in ${(ms / 1e3).toFixed(1)} s.`);
      await clock.sleep(ms, signal);
    }
  };
}
function withoutSecrets(inputs, { subject, workflow }) {
  if (inputs.command === "impacted-targets" || inputs.apiToken !== null || inputs.dryRun) return null;
  const isDependabot = workflow.actor === "dependabot[bot]";
  if (!subject.isFromFork && !isDependabot) {
    throw faultyInputs([
      { input: "api-token", problem: "is missing; set it from a secret with an API token" }
    ]);
  }
  const whose = isDependabot ? "Dependabot's pull requests" : "pull requests of forks";
  const remedy = isDependabot ? "Store the token in the Dependabot secrets too." : "Use a workflow on pull_request_target that does not check out the fork's code.";
  return {
    verdict: "skipped",
    isFailure: inputs.strict,
    title: "No token",
    message: `GitHub gives no secrets to the workflows of ${whose}, so that nothing was done. ${remedy}`,
    outputs: {},
    details: []
  };
}
function faultyInputs(issues) {
  const faults = issues.map(({ input, problem }) => `The input ${input} ${problem}.`);
  return new StepError(issues.length === 1 ? "An input is wrong" : "Inputs are wrong", faults.join("\n"));
}
function warnOfPlainHttp({ apiUrl, apiToken }, runner) {
  const { protocol, hostname } = new URL(apiUrl);
  const isLocal = hostname === "localhost" || hostname === "[::1]" || hostname.startsWith("127.");
  if (protocol === "https:" || isLocal || apiToken === null) return;
  runner.annotate(
    "warning",
    "The token travels unencrypted",
    "The input api-url does not begin with https; whoever is on the way can read the token."
  );
}

// src/action/workflow.ts
function readWorkflow({ payload, serverUrl, apiUrl, actor }, env2, temporary) {
  const [owner, name] = (env2.GITHUB_REPOSITORY ?? "").split("/");
  return {
    host: new URL(serverUrl).host,
    serverUrl,
    apiUrl,
    repository: owner && name ? { owner, name } : null,
    defaultBranch: text(at(payload, "repository", "default_branch")),
    pullRequest: pullRequestOf(payload),
    runId: env2.GITHUB_RUN_ID || null,
    actor: actor ?? "",
    workspace: env2.GITHUB_WORKSPACE || ".",
    temporary: env2.RUNNER_TEMP || temporary
  };
}
function pullRequestOf(event) {
  const pull = at(event, "pull_request");
  const number = at(pull, "number");
  if (typeof number === "number") {
    const base = text(at(pull, "base", "repo", "full_name"));
    const isFromFork = text(at(pull, "head", "repo", "full_name")) !== base;
    return {
      number,
      headSha: text(at(pull, "head", "sha")),
      baseBranch: text(at(pull, "base", "ref")),
      isFromFork
    };
  }
  const issue2 = at(event, "issue");
  const commented = at(issue2, "pull_request") ? at(issue2, "number") : null;
  if (typeof commented !== "number") return null;
  return { number: commented, headSha: null, baseBranch: null, isFromFork: false };
}
function at(value, ...path) {
  return path.reduce(
    (inner, key) => typeof inner === "object" && inner !== null ? Reflect.get(inner, key) : void 0,
    value
  );
}
function text(value) {
  return typeof value === "string" && value !== "" ? value : null;
}

// src/action/main.ts
var { env } = process;
var signals = ["SIGINT", "SIGTERM"];
process.exitCode = await useProxies(env, process.argv.slice(1)) ?? await runAction({
  input: getInput,
  runner: createActionsRunner(env.GITHUB_STEP_SUMMARY),
  workflow: readWorkflow(context, env, tmpdir()),
  fetch: globalThis.fetch,
  clock: {
    now: Date.now,
    sleep: (ms, signal) => sleep(ms, void 0, { signal }).catch(() => {
    })
  },
  signal: untilCancelled(),
  env: childEnvironment(env)
});
function untilCancelled() {
  const controller = new AbortController();
  const cancel2 = () => {
    for (const name of signals) process.removeListener(name, cancel2);
    controller.abort();
  };
  for (const name of signals) process.on(name, cancel2);
  return controller.signal;
}

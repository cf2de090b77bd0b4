import { Agent, request as httpRequest } from "node:http";
import { buffer } from "node:stream/consumers";
import fc from "../../drawn.ts";
import { undocumented } from "../documented.ts";
import { PausedQueue } from "../paused-queue.ts";
import { anyRequest, type FuzzedRequest, type Surroundings } from "./requests.ts";

export interface FuzzOptions {
  readonly requests: number;
  readonly seed: number;
  /** A slower response is a fault. */
  readonly slowMs: number;
  readonly tell?: (done: number) => void;
}

export interface Fault {
  readonly what: string;
  /** The request, so that it can be sent again. */
  readonly request: string;
  readonly answer: string;
}

export interface FuzzReport {
  readonly faults: readonly Fault[];
  /** The number of responses by operation and status. */
  readonly answered: ReadonlyMap<string, number>;
  readonly slowestMs: number;
}

const atOnce = 8;
const atATime = 500;
const maxFaults = 20;

/**
 * Sends generated requests to all endpoints, and finds responses that are failures, slow, or not documented.
 */
export async function fuzz({ requests, seed, slowMs, tell = () => {} }: FuzzOptions): Promise<FuzzReport> {
  const queue = await PausedQueue.start({ logLevel: "silent", webhooksAllowPrivate: false });
  const agent = new Agent({ keepAlive: true, maxSockets: atOnce });
  try {
    const surroundings = await surroundingsOf(queue);
    const faults: Fault[] = [];
    const answered = new Map<string, number>();
    let slowestMs = 0;
    for (let done = 0; done < requests && faults.length < maxFaults; done += atATime) {
      const arbitrary = anyRequest({ ...surroundings, webhooks: await restore(queue) });
      const numRuns = Math.min(atATime, requests - done);
      const waiting = fc.sample(arbitrary, { numRuns, seed: seed + done }).values();
      const sendThem = async () => {
        for (const request of waiting) {
          const answer = await send(queue.api.url, agent, request);
          const key = `${request.operation.operationId} ${answer.status}`;
          answered.set(key, (answered.get(key) ?? 0) + 1);
          slowestMs = Math.max(slowestMs, answer.ms);
          const what = faultOf(request, answer, slowMs);
          if (what !== null) faults.push({ what, request: render(request), answer: answer.text });
        }
      };
      await Promise.all(Array.from({ length: atOnce }, sendThem));
      tell(done + numRuns);
    }
    return { faults, answered, slowestMs };
  } finally {
    agent.destroy();
    await queue.api.close();
  }
}

/** Creates pull requests beside the queue, and tokens of every kind. */
async function surroundingsOf(queue: PausedQueue): Promise<Omit<Surroundings, "webhooks">> {
  const { api } = queue;
  const pulls = [await queue.open(), await queue.open(), await queue.open({ draft: true })];
  const tokens = [
    await api.createToken(["admin"]),
    await api.createToken(["read"]),
    await api.createToken(["submit"]),
    await api.createToken(["admin"], { organisation: "other" }),
    await api.createToken(["admin"], { ttlMs: 0 }),
  ];
  const { body } = await api.post("uploadTestResults", {
    ...{ repo: api.queue.repo, head_sha: "a".repeat(40), tree_sha: "b".repeat(40), branch: "main" },
    ...{ kind: "stable", run_id: "1", job: "test", step_failed: true },
    reports: [{ path: "a.xml", content: '<testsuite><testcase name="a"><failure/></testcase></testsuite>' }],
  });
  const tests = (body.failed as { id: string }[]).map(({ id }) => id);
  return { repo: api.queue.repo, branches: ["main", "feature-1"], pulls, tests, tokens };
}

/** Creates again what was deleted or cancelled meanwhile. Returns the ids of the webhooks. */
async function restore(queue: PausedQueue): Promise<string[]> {
  const { api } = queue;
  await api.post("createQueue", { ...api.queue, state: "paused" });
  for (const number of [1, 2]) await queue.submit({ number });
  await api.post("createWebhook", { url: "https://hooks.example/0" });
  const { body } = await api.post("listWebhooks", {});
  return (body.webhooks as { id: string }[]).map(({ id }) => id);
}

interface FuzzedAnswer {
  readonly status: number;
  readonly type: string | null;
  readonly text: string;
  readonly ms: number;
}

function send(
  base: string,
  agent: Agent,
  { operation, query, headers, body }: FuzzedRequest,
): Promise<FuzzedAnswer> {
  const began = performance.now();
  const { promise, resolve, reject } = Promise.withResolvers<FuzzedAnswer>();
  const sending = httpRequest(base + operation.path + query, { method: operation.method, headers, agent });
  sending.on("error", reject);
  sending.on("response", (response) => {
    buffer(response).then((bytes) => {
      const { statusCode: status = 0, headers: answered } = response;
      const type = answered["content-type"] ?? null;
      resolve({ status, type, text: String(bytes), ms: performance.now() - began });
    }, reject);
  });
  sending.end(body);
  return promise;
}

export function faultOf({ operation }: FuzzedRequest, answer: FuzzedAnswer, slowMs: number): string | null {
  const { status, type, text, ms } = answer;
  if (status >= 500) return `${operation.operationId} answered ${status}`;
  if (ms > slowMs) return `${operation.operationId} took ${Math.round(ms)} ms`;
  let body: unknown = text;
  if (type?.includes("json")) {
    try {
      body = JSON.parse(text);
    } catch {
      return `${operation.operationId} answered what is no JSON`;
    }
  }
  return undocumented(operation.path, { status, type, body });
}

function render({ operation: { method, path }, query, headers, body }: FuzzedRequest): string {
  return `${method} ${path}${query} ${JSON.stringify(headers)} ${body?.toString("latin1").slice(0, 2_000) ?? ""}`;
}

import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import pino from "pino";
import { createHttpServer, defaultTimeouts } from "../../src/api/http-server.ts";
import { type Api, startApi } from "./api-harness.ts";

let api: Api;

beforeAll(async () => {
  api = await startApi();
  await api.post("createQueue", api.queue);
});
afterAll(() => api.close());
afterEach(() => {
  api.logged.length = 0;
});

async function ask(path: string, init?: RequestInit) {
  const response = await fetch(api.url + path, init);
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === "" ? {} : JSON.parse(text) };
}

describe("a path", () => {
  test.each([
    "/nowhere",
    "/v1",
    "/v1/",
    "/v1/getQueues",
    "/v1/getqueue",
    "/v1/getQueue/",
    "/%2e%2e/etc/passwd",
  ])("%s that does not exist responds with 404", async (path) => {
    for (const method of ["GET", "POST", "DELETE"]) {
      const { status, headers, body } = await ask(path, { method });
      expect({ method, status, code: body.code }).toEqual({ method, status: 404, code: "PATH_NOT_FOUND" });
      expect(headers.get("content-type")).toBe("application/problem+json; charset=utf-8");
    }
  });

  test("that does not exist responds with 404 even to a large body", async () => {
    const headers = { "content-type": "application/json" };
    const { status } = await ask("/v1/nothing", { method: "POST", headers, body: "x".repeat(2_000_000) });
    expect(status).toBe(404);
  });

  test.each(["GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS"])(
    "of an endpoint responds to %s with 405 and the header Allow",
    async (method) => {
      const { status, headers } = await ask("/v1/getQueue?x=1", { method });
      expect({ status, allow: headers.get("allow") }).toEqual({ status: 405, allow: "POST" });
    },
  );

  test("of a probe responds to POST with 405 and the header Allow", async () => {
    const { status, headers } = await ask("/healthz", { method: "POST" });
    expect({ status, allow: headers.get("allow") }).toEqual({ status: 405, allow: "GET, HEAD" });
  });

  test("that cannot be decoded responds with 400", async () => {
    const { status, body } = await ask("/v1/%zz", { method: "POST" });
    expect({ status, code: body.code }).toEqual({ status: 400, code: "BAD_REQUEST" });
  });
});

describe("an HTTP client that sends", () => {
  test.each([
    [
      "headers that are too large",
      `GET / HTTP/1.1\r\nhost: x\r\nx-long: ${"x".repeat(20_000)}\r\n\r\n`,
      431,
      "HEADERS_TOO_LARGE",
    ],
    ["text that is not HTTP", "nonsense\r\n\r\n", 400, "BAD_REQUEST"],
    [
      "a broken length",
      "POST /v1/getQueue HTTP/1.1\r\nhost: x\r\ncontent-length: x\r\n\r\n",
      400,
      "BAD_REQUEST",
    ],
  ])("%s gets a problem response, too", async (_what, text, status, code) => {
    const socket = connect(Number(new URL(api.url).port), "127.0.0.1").setEncoding("utf8");
    const received: string[] = [];
    socket.on("data", (some: string) => received.push(some));
    socket.write(text);
    await once(socket, "close");
    const [head = "", body = ""] = received.join("").split("\r\n\r\n");
    expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(head).toContain("content-type: application/problem+json; charset=utf-8");
    const problem = JSON.parse(body);
    expect(problem).toMatchObject({ type: `/problems/${code}`, status, code });
    expect(head).toContain(`x-request-id: ${problem.instance}`);
  });
});

describe("a request", () => {
  test("has the same id in its response and in the log, and ids that clients send are ignored", async () => {
    const { headers } = await api.post("getQueue", api.queue, {
      "x-request-id": "mine",
      "request-id": "mine",
    });
    const id = headers.get("x-request-id");
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    const line = api.logged.map((text) => JSON.parse(text)).find(({ requestId }) => requestId === id);
    expect(line).toMatchObject({ method: "POST", path: "/v1/getQueue", status: 200, msg: "served" });
  });

  test("that fails internally gets a 500 response without details, which are in the log", async () => {
    const closed = await startApi();
    const broken = new Error("SQLITE_CORRUPT: select * from tokens");
    Object.defineProperty(closed.service.queues, "readQueue", { value: () => Promise.reject(broken) });
    const { status, body } = await closed.post("getQueue", closed.queue);
    expect({ status, code: body.code }).toEqual({ status: 500, code: "INTERNAL_ERROR" });
    expect(JSON.stringify(body)).not.toMatch(/SQLITE|select|stack|\.ts/);
    expect(body.detail).toContain(body.instance);
    const line = closed.logged.find((text) => text.includes("SQLITE_CORRUPT")) ?? "{}";
    expect(JSON.parse(line)).toMatchObject({ requestId: body.instance, level: 50 });
    await closed.close();
  });

  test("gets a 503 response with Retry-After while the code host is unreachable", async () => {
    const alone = await startApi();
    await alone.post("createQueue", alone.queue);
    await alone.loseCodeHost();
    const { status, headers, body } = await alone.post("submitPullRequest", {
      ...alone.queue,
      pr: { number: 1 },
    });
    expect({ status, code: body.code }).toEqual({ status: 503, code: "CODE_HOST_UNAVAILABLE" });
    expect(headers.get("retry-after")).toMatch(/^\d+$/);
    await alone.close();
  });

  test("is not logged with an address from proxy headers", async () => {
    await api.post("getQueue", api.queue, { "x-forwarded-for": "9.9.9.9", forwarded: "for=9.9.9.9" });
    expect(api.logged.join()).not.toContain("9.9.9.9");
  });

  test("that arrives while the server closes gets a 503 response, and the request in progress is finished", async () => {
    const server = createHttpServer({ log: pino({ level: "silent" }) });
    const entered = Promise.withResolvers<void>();
    const finish = Promise.withResolvers<{ done: true }>();
    server.get("/slow", () => {
      entered.resolve();
      return finish.promise;
    });
    const closing = Promise.withResolvers<void>();
    server.addHook("preClose", async () => closing.resolve());
    const { port } = new URL(await server.listen({ host: "127.0.0.1", port: 0 }));
    const socket = connect(Number(port), "127.0.0.1").setEncoding("utf8");
    const received: string[] = [];
    socket.on("data", (text: string) => received.push(text));
    const ended = once(socket, "close");

    socket.write("GET /slow HTTP/1.1\r\nhost: x\r\n\r\n");
    await entered.promise;
    const closed = server.close();
    await closing.promise;
    const second = once(server.server, "request");
    socket.write("GET /slow HTTP/1.1\r\nhost: x\r\n\r\n");
    await second;
    finish.resolve({ done: true });
    await Promise.all([closed, ended]);
    expect(received.join("")).toMatch(/^HTTP\/1\.1 200.*"done":true.*HTTP\/1\.1 503.*SHUTTING_DOWN/s);
  });
});

describe("a slow client", () => {
  /**
   * Sends a piece every 20 ms to a server with short timeouts. Returns everything that the server sent before
   * it closed the connection.
   */
  async function dribble(begin: string, piece: string): Promise<string> {
    const timeouts = { headersMs: 300, requestMs: 600, lookMs: 50 };
    const server = createHttpServer({ log: pino({ level: "silent" }), timeouts });
    server.addContentTypeParser("*", (_request, _payload, done) => void done);
    server.post("/", async () => ({}));
    const { port } = new URL(await server.listen({ host: "127.0.0.1", port: 0 }));
    const socket = connect(Number(port), "127.0.0.1").setEncoding("utf8");
    const received: string[] = [];
    socket.on("data", (text: string) => received.push(text)).on("error", () => {});
    socket.write(begin);
    const sending = setInterval(() => socket.write(piece), 20);
    // A reset may arrive before the response was read.
    await new Promise((resolve) => socket.once("close", resolve));
    clearInterval(sending);
    await server.close();
    return received.join("");
  }

  test("that sends its headers slowly gets a 408 response", async () => {
    expect(await dribble("POST / HTTP/1.1\r\nhost: x\r\nx-header: ", "x")).toMatch(/^HTTP\/1\.1 408 /);
  });

  test("that sends nothing is disconnected", async () => {
    expect(await dribble("", "")).toMatch(/^(HTTP\/1\.1 408 |$)/);
  });

  test("that sends its body slowly is disconnected", async () => {
    const head = "POST / HTTP/1.1\r\nhost: x\r\ncontent-type: text/plain\r\ncontent-length: 100000\r\n\r\n";
    expect(await dribble(head, "x")).toMatch(/^(HTTP\/1\.1 408 |$)/);
  });

  test("that sends its headers slowly is disconnected within 30 seconds by default", () => {
    const { server } = createHttpServer({ log: pino({ level: "silent" }) });
    expect({ headers: server.headersTimeout, request: server.requestTimeout }).toEqual({
      headers: defaultTimeouts.headersMs,
      request: defaultTimeouts.requestMs,
    });
    expect(defaultTimeouts.headersMs + defaultTimeouts.lookMs).toBeLessThan(30_000);
  });
});

describe("the log", () => {
  const secrets = { "x-api-token": "s3cr3t-1", authorization: "Bearer s3cr3t-2", cookie: "session=s3cr3t-3" };

  test("contains no secret of a request", async () => {
    const token = await api.createToken(["read"]);
    await api.post("getQueue", api.queue, { ...secrets, "x-api-token": token });
    await api.post("getQueue", "{", { ...secrets, "x-api-token": token });
    await api.post("getQueue", api.queue, secrets);
    expect(api.logged.length).toBeGreaterThan(0);
    expect(api.logged.join()).not.toMatch(/s3cr3t|ty_/);
  });

  test("contains no secret even when headers are logged", async () => {
    const lines: string[] = [];
    const log = pino(
      { serializers: pino.stdSerializers },
      { write: (line: string) => void lines.push(line) },
    );
    const server = createHttpServer({ log });
    server.get("/", async (request) => {
      request.log.info({ headers: request.headers }, "headers");
      request.log.info({ req: request }, "request");
      const failure = Object.assign(new Error("failed"), { request: { headers: request.headers } });
      request.log.error({ err: new Error("could not ask", { cause: failure }) }, "error");
      return {};
    });
    await server.inject({ url: "/", headers: secrets });
    await server.close();
    expect(lines).toHaveLength(4);
    expect(lines.join()).not.toContain("s3cr3t");
    expect(lines.join()).toContain("failed");
  });
});

describe("the health probes", () => {
  test("report that the process is alive", async () => {
    const { status, body } = await ask("/healthz");
    expect({ status, body }).toEqual({ status: 200, body: { status: "ok", time: expect.any(String) } });
  });

  test("report whether the database works", async () => {
    expect(await ask("/readyz")).toMatchObject({ status: 200, body: { status: "ready" } });
    api.breakDatabase();
    const { status, body } = await ask("/readyz");
    expect({ status, code: body.code }).toEqual({ status: 503, code: "NOT_READY" });
    expect(JSON.stringify(body)).not.toContain("SQLITE");
    expect((await ask("/healthz")).status).toBe(200);
  });
});

import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { problemKinds } from "../../src/api/problems/problem.ts";
import { renderProse } from "../../src/dashboard/reference/api-document.ts";
import { operations, type Schema } from "../api/documented.ts";
import { Stage } from "../scenarios/stage.ts";
import { textOf } from "./page-text.ts";
import { browserTest, inBrowser } from "./viewers.ts";

let stage: Stage;
let answer: Response;
let page: string;

beforeAll(async () => {
  // The page is public, even on a dashboard that requires a token.
  stage = await Stage.open({ environment: { TRAINYARD_DASHBOARD: "token" } });
  answer = await fetch(`${stage.url}/docs`);
  page = await answer.text();
});
afterAll(() => stage.close());

/** The text of an endpoint's section. */
function sectionOf(operationId: string): string {
  const [, section = ""] = page.split(`<section class="operation" id="${operationId}">`);
  return section.split("</section>")[0] ?? "";
}

function leavesOf(schema: Schema, prefix = ""): string[] {
  const { properties = {} } = schema as { properties?: Record<string, Schema> };
  return Object.entries(properties).flatMap(([name, one]) => [
    prefix + name,
    ...leavesOf(one, `${prefix}${name}.`),
  ]);
}

describe("the API reference", () => {
  test("is a public HTML page that loads nothing but its style and icon", () => {
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(answer.headers.get("content-encoding")).toBe("gzip");
    const policy = answer.headers.get("content-security-policy") ?? "";
    expect(policy).toMatch(/^default-src 'none'; style-src 'self'; img-src 'self';/);
    expect(policy).not.toMatch(/script-src|unsafe/);
    expect(page).not.toMatch(/<script|<style|<iframe|style=|\son\w+=|javascript:/i);
    expect([...page.matchAll(/(?:src|href)="(?!#)([^"]*)"/g)].map(([, url]) => url)).toEqual([
      expect.stringMatching(/^\/assets\/icon\.svg\?v=\w+$/),
      expect.stringMatching(/^\/assets\/style\.css\?v=\w+$/),
      expect.stringMatching(/^\/assets\/administration\.css\?v=\w+$/),
      "/",
      "/",
      "/docs",
      "/openapi.json",
    ]);
  });

  test("has styles that browsers keep only under the address with their version", async () => {
    const [path = ""] = /\/assets\/style\.css\?v=\w+/.exec(page) ?? [];
    const caching = async (asset: string) =>
      (await fetch(new URL(asset, answer.url))).headers.get("cache-control");
    expect(await caching(path)).toBe("public, max-age=31536000, immutable");
    for (const other of [`${path}0`, "/assets/style.css"]) expect(await caching(other)).toBe("no-cache");
  });

  test.each(operations)("describes the request, responses and errors of $operationId", (operation) => {
    const { operationId, method, path, body, responses } = operation;
    const text = textOf(sectionOf(operationId));
    expect(text).toContain(`${method} ${path}`);
    for (const field of body ? leavesOf(body) : []) expect(text).toContain(field);
    for (const status of Object.keys(responses)) expect(text).toContain(status);
    expect(text).toMatch(/scope (read|submit|queue:admin|tests:upload|admin) /);
  });

  test("names every problem code", () => {
    const text = textOf(page);
    // These codes occur before a request is assigned to an operation.
    const others = ["METHOD_NOT_ALLOWED", "REQUEST_TIMEOUT", "HEADERS_TOO_LARGE"];
    for (const code of Object.keys(problemKinds)) if (!others.includes(code)) expect(text).toContain(code);
  });

  test("has unique ids, and only links to existing ones", () => {
    const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const links = [...page.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
    expect(links.length).toBeGreaterThan(100);
    expect(links.filter((id) => !ids.includes(id))).toEqual([]);
  });

  test("renders descriptions as text, with code between backticks", () => {
    expect(renderProse('a `<b>` & <script>"x"</script>')).toBe(
      "a <code>&#60;b&#62;</code> &#38; &#60;script&#62;&#34;x&#34;&#60;/script&#62;",
    );
  });

  test("is linked from the home page", async () => {
    expect(await (await fetch(stage.url)).text()).toContain('<a href="/docs">API</a>');
  });

  browserTest("causes no error in a browser", async () => {
    const open = await inBrowser.open(`${stage.url}/docs`);
    expect(await open.text()).toContain("POST /v1/submitPullRequest");
    expect(open.problems()).toEqual([]);
    await open.close();
  });
});

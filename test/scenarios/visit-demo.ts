import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { nextStepsPath } from "../../src/dashboard/next-steps-page.ts";
import {
  appPath,
  auditPath,
  commandLinePath,
  healthPath,
  historyPath,
  loginPath,
  overviewPath,
  ownSignInsPath,
  pastPath,
  pullRequestPath,
  queuePath,
  testsPath,
  tokensPath,
  webhooksPath,
  whatIfPath,
} from "../../src/dashboard/paths.ts";
import { findEntry } from "../../tools/lab/demo/follow-entries.ts";
import type { RunningDemo } from "../../tools/lab/demo/run-demo.ts";
import { routesWithout } from "../dashboard/rights.ts";
import { launchBrowser } from "../runner/browser.ts";
import { eventually } from "./eventually.ts";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/** Pages that show nothing of the demo, which has no webhooks. `every-page.test.ts` looks at them. */
const elsewhere = [webhooksPath("acme", "1"), loginPath, commandLinePath, nextStepsPath, "/docs"];
/** Of phones. */
const [width, narrow] = [390, 320];
/** The folder for pictures of each page, for people who change the pages. */
const { PAGE_PICTURES: pictures } = process.env;

/**
 * Signs in to the dashboard of a running demo with a browser of the width of a phone, follows a merge on the page of the queue, and opens
 * every other page, each also on a narrower phone and in the dark. Returns what is wrong with them.
 */
export async function visitDemo(demo: RunningDemo): Promise<readonly string[]> {
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage({ viewport: { width, height: 800 } });
    const problems: string[] = [];
    let name = "queue";
    // Violations of the content security policy are console messages, too.
    page.on("console", (message) => problems.push(`${name}: ${message.text()}`));
    page.on("pageerror", ({ message }) => problems.push(`${name}: ${message}`));
    await page.goto(demo.page);
    await page.getByRole("link", { name: "Sign in" }).click();
    await page.getByRole("button", { name: "Sign out" }).waitFor();
    await followMerge(page);
    problems.push(...(await faultsOf(page, name)).map((fault) => `${name}: ${fault}`));
    const visited = [demo.page];
    const visit = async (next: string, path: string) => {
      name = next;
      visited.push(path);
      const answer = await page.goto(new URL(path, demo.page).href);
      if (answer?.status() !== 200) problems.push(`${name}: status ${answer?.status()}`);
      problems.push(...(await faultsOf(page, name)).map((fault) => `${name}: ${fault}`));
    };
    for (const [next, path] of await pagesOf(demo)) await visit(next, path);
    const { owner } = demo.queue.repo;
    await visit("tokens", tokensPath(owner));
    await visit("webhooks", webhooksPath(owner));
    const missing = routesWithout([...visited, ...elsewhere]);
    return [...problems, ...missing.map((route) => `not visited: ${route}`)];
  } finally {
    await browser.close();
  }
}

/** Waits until the open page of the queue tells of a merge, without being loaded again. */
async function followMerge(page: Page): Promise<void> {
  let loads = 0;
  page.on("request", (request) => {
    if (request.isNavigationRequest()) loads += 1;
  });
  await page
    .getByText(/merged as \w{7}/)
    .first()
    .waitFor({ timeout: 120_000 });
  if (loads > 0) throw new Error("the page of the queue was loaded again");
}

async function faultsOf(page: Page, name: string): Promise<readonly string[]> {
  const headings = await page.locator("h1").count();
  const faults = headings === 1 ? [] : [`${headings} headings of the first level`];
  for (const size of [narrow, width]) {
    await page.setViewportSize({ width: size, height: 800 });
    const widest = await page.evaluate("document.documentElement.scrollWidth");
    if (widest !== size) faults.push(`${widest} px wide in a window of ${size} px`);
  }
  await page.evaluate(axe);
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    if (pictures) await takePictures(page, join(pictures, `demo ${name}-${colorScheme}`));
    const violations = await page.evaluate(`axe.run().then(({ violations }) =>
      violations.map(({ id, nodes }) => id + " " + nodes[0].html.slice(0, 300)))`);
    faults.push(...(violations as readonly string[]).map((fault) => `${fault} (${colorScheme})`));
  }
  return faults;
}

async function takePictures(page: Page, path: string): Promise<void> {
  for (const size of [1280, width]) {
    await page.setViewportSize({ width: size, height: 900 });
    await page.screenshot({ path: `${path}-${size}.png`, fullPage: true });
  }
}

async function pagesOf(demo: RunningDemo): Promise<readonly (readonly [string, string])[]> {
  const { repo, targetBranch: branch } = demo.queue;
  const address = { repo, branch };
  const queue = queuePath(address);
  const pullRequest = async (ends: "merged" | "failed") => {
    const { number } = demo.pullRequests.find(({ plan }) => plan.truth.ends === ends) ?? { number: 0 };
    await eventually(async () => {
      const entry = await findEntry(demo.client, demo.queue, number);
      return entry?.state === ends ? entry : null;
    }, `#${number} to have ${ends}`);
    return pullRequestPath(address, number);
  };
  return [
    ["overview", overviewPath],
    ["pull request that merged", await pullRequest("merged")],
    ["past", pastPath(address)],
    ["health", `${healthPath(address)}?range=1h`],
    ["what if", `${whatIfPath(address)}?days=1&concurrency=1,6`],
    ["settings", `${queue}/settings`],
    ["doctor", `${queue}/doctor`],
    ["tests", testsPath(repo)],
    ["test", demo.flakyTestPage],
    ["settings of tests", `${testsPath(repo)}/settings`],
    ["audit log", auditPath(repo)],
    ["GitHub App", appPath],
    ["search", "/search?q=a"],
    ["own sign-ins", ownSignInsPath],
    ["pull request that left", await pullRequest("failed")],
    ["history", historyPath(address)],
  ];
}

import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { type Browser, chromium } from "playwright-core";
import { EventStream } from "./event-stream.ts";
import { textOf } from "./page-text.ts";

/** A way to view a page that updates itself. */
export interface Viewer {
  readonly name: string;
  open(url: string): Promise<OpenPage>;
}

export interface OpenPage {
  /** The current text of the page. */
  text(): Promise<string>;
  /** The number of full page loads. */
  loads(): number;
  /** All complaints so far: console errors, policy violations, and failed requests. */
  problems(): readonly string[];
  close(): Promise<void>;
}

const browserArguments = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"];

const places = [
  process.env.CHROMIUM_PATH,
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/** Imitates a browser: loads the page once, then follows its stream. */
const byHand: Viewer = {
  name: "by fetch",
  async open(url) {
    const page = await (await fetch(url)).text();
    const [, connect = ""] = /hx-sse:connect="([^"]+)"/.exec(page) ?? [];
    const events = await EventStream.open(new URL(connect, url).href);
    let shown = page;
    const following = (async () => {
      for (let event = await events.next(); event !== null; event = await events.next()) shown = event;
    })().catch(() => {});
    return {
      text: async () => textOf(shown),
      loads: () => 1,
      problems: () => [],
      async close() {
        events.close();
        await following;
      },
    };
  },
};

function inBrowser(executablePath: string): Viewer {
  return {
    name: "in a browser",
    async open(url) {
      const browser = await chromium.launch({ executablePath, args: browserArguments });
      const page = await browser.newPage();
      const problems: string[] = [];
      let loads = 0;
      page.on("console", (message) => {
        if (["error", "warning"].includes(message.type())) problems.push(message.text());
      });
      page.on("pageerror", ({ message }) => problems.push(message));
      page.on("dialog", (dialog) => problems.push(`a dialog: ${dialog.message()}`));
      page.on("response", (response) => {
        if (response.status() >= 400) problems.push(`${response.status()} ${response.url()}`);
      });
      page.on("request", (request) => {
        if (request.isNavigationRequest()) loads += 1;
      });
      // Simulates a slow network, in which the scripts do not arrive together.
      await page.route("**/assets/hx-sse.min.js", async (route) => {
        await sleep(200);
        await route.continue();
      });
      await page.goto(url).catch(async (error: unknown) => {
        await browser.close();
        throw error;
      });
      return {
        text: async () => (await page.locator("main").innerText()).replaceAll(/\s+/g, " "),
        loads: () => loads,
        problems: () => problems,
        close: () => browser.close(),
      };
    },
  };
}

const browser = places.find((path) => path !== undefined && existsSync(path));

/** A new real browser; null if none is installed. */
export async function launchBrowser(): Promise<Browser | null> {
  return browser === undefined ? null : chromium.launch({ executablePath: browser, args: browserArguments });
}

/** The imitation, and a real browser if one is installed. */
export const viewers: readonly Viewer[] = [byHand, ...(browser === undefined ? [] : [inBrowser(browser)])];

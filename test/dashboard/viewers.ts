import { setTimeout as sleep } from "node:timers/promises";
import { test } from "@jest/globals";
import { findBrowser, launchBrowser } from "../runner/browser.ts";
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

/** Imitates a browser: loads the page once, then follows its stream. */
export const byHand: Viewer = {
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

/** A real browser, which starts on a fresh page. */
export const inBrowser: Viewer = {
  name: "in a browser",
  async open(url) {
    const browser = await launchBrowser();
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
    await page.route("**/assets/hx-sse.min.js?*", async (route) => {
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

/** A test that needs a browser. It fails in CI where there is none; elsewhere the run says that it was skipped. */
export const browserTest = findBrowser() === null && !process.env.CI ? test.skip : test;

import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect } from "@jest/globals";
import type { Browser } from "playwright-core";
import { freePort } from "../../src/cli/free-port.ts";
import { browserTest } from "../dashboard/viewers.ts";
import { launchBrowser } from "../runner/browser.ts";
import { AppCreation } from "./app-creation.ts";
import { Trainyard } from "./run-trainyard.ts";

/** The folder for pictures of each page, for people who change the set-up. */
const { SETUP_PICTURES: pictures } = process.env;
const sizes = [
  { name: "wide", viewport: { width: 1280, height: 900 }, colorScheme: "light" },
  { name: "narrow", viewport: { width: 390, height: 844 }, colorScheme: "dark" },
] as const;

let directory: string;
let github: AppCreation;
let service: Trainyard;
let browser: Browser | null = null;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "trainyard-setup-"));
  github = await AppCreation.start();
});
afterEach(async () => {
  await browser?.close();
  browser = null;
  service.child.kill("SIGKILL");
  github.close();
  await rm(directory, { recursive: true, force: true });
});

browserTest.each(sizes)(
  "a person creates the App in a $name browser, and reads the next steps",
  async (size) => {
    const port = String(await freePort());
    const env = { GHE_HOST: github.host, GHE_PROTOCOL: "http", PORT: port, HOST: "127.0.0.1" };
    const address = { TRAINYARD_PUBLIC_URL: "https://queue.example" };
    service = new Trainyard(["serve"], { ...env, ...address }, directory);
    const [, link = ""] = await service.says(/open (http:\/\/\S+)/);
    browser = await launchBrowser();
    const { name, ...context } = size;
    const page = await browser.newPage(context);
    const problems: string[] = [];
    page.on("console", (message) => void problems.push(message.text()));
    page.on("pageerror", ({ message }) => void problems.push(message));
    /** Nothing is wider than the window. */
    const look = async (what: string) => {
      if (pictures) await page.screenshot({ path: join(pictures, `${what}-${name}.png`), fullPage: true });
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(
        size.viewport.width,
      );
      expect(await page.locator("img").count()).toBe(0);
    };

    await page.goto(link);
    await look("setup");
    for (const text of ["https://queue.example/api/github/webhooks", "Builds test branches and merges."])
      await page.getByText(text).waitFor();
    await page.getByText("use an existing App").click();
    await page.getByLabel("App ID").waitFor();
    await look("existing");
    await page.goBack();
    await page.getByLabel("An organisation").fill("acme");
    await page.getByRole("button", { name: "Choose" }).click();
    await page.getByRole("button", { name: "Create the GitHub App in acme" }).waitFor();
    await page.getByLabel("Let anyone read the pages of queues in public repositories").check();
    await page.getByRole("button", { name: "Create the GitHub App in acme" }).click();
    await page.getByRole("heading", { name: "Next steps" }).waitFor();
    await look("next");
    expect(github.forms).toMatchObject([
      { path: "/organizations/acme/settings/apps/new", manifest: { name: "Trainyard", public: false } },
    ]);
    const install = await page.getByRole("link", { name: "Install on repositories" }).getAttribute("href");
    expect(install).toBe(`http://${github.host}/apps/yard/installations/new`);
    await service.says(/Trainyard is listening/);
    expect(await readFile(join(directory, ".env"), "utf8")).toContain("TRAINYARD_PUBLIC_PAGES=true\n");
    await page.reload();
    await page.getByText("queue create OWNER/NAME@BRANCH").first().waitFor();
    expect(problems).toEqual([]);
  },
);

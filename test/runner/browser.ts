import { createReadStream, createWriteStream, existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createBrotliDecompress } from "node:zlib";
import { unpackTar } from "modern-tar/fs";
import { type Browser, chromium } from "playwright-core";

const installed = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/** What to do where `findBrowser` finds none. */
export const browserMissing =
  "They need a browser, and this machine has none: install Chrome or Chromium, or name it in CHROMIUM_PATH.";

const args = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"];

/** The browser for the tests of pages: the one of `CHROMIUM_PATH`, the one that `npm ci` brings, or an installed one. */
export function findBrowser(): "packed" | { readonly path: string } | null {
  const { CHROMIUM_PATH: named } = process.env;
  if (named !== undefined) return { path: named };
  // The package contains the program for this platform only.
  if (process.platform === "linux" && process.arch === "x64") return "packed";
  const path = installed.find((one) => existsSync(one));
  return path === undefined ? null : { path };
}

/** How long an action may take on a busy machine. */
const timeout = 180_000;

export async function launchBrowser(): Promise<Browser> {
  const browser = await startBrowser();
  browser.on("context", (context) => context.setDefaultTimeout(timeout));
  return browser;
}

async function startBrowser(): Promise<Browser> {
  const found = findBrowser();
  if (found === null) throw new Error(`Tests failed. ${browserMissing}`);
  // With the locale C, the browser's language would be one that no page can use.
  const locale = { LC_ALL: "en_US.UTF-8" };
  if (found !== "packed")
    return chromium.launch({ executablePath: found.path, args, timeout, env: { ...process.env, ...locale } });
  const directory = await unpackBrowser();
  // A machine without a desktop lacks some libraries, which the package contains.
  const env = { ...process.env, ...locale, LD_LIBRARY_PATH: join(directory, "lib") };
  return chromium.launch({ executablePath: join(directory, "chromium"), args, timeout, env });
}

/** Unpacks the browser of `@sparticuz/chromium` beside the packages, once. Takes four seconds. */
async function unpackBrowser(): Promise<string> {
  const modules = join(import.meta.dirname, "../../node_modules");
  const pack = join(modules, "@sparticuz/chromium");
  const { version } = JSON.parse(await readFile(join(pack, "package.json"), "utf8"));
  const cache = join(modules, ".cache");
  const directory = join(cache, `chromium-${version}`);
  if (existsSync(directory)) return directory;
  await mkdir(cache, { recursive: true });
  const unfinished = await mkdtemp(join(cache, "chromium-"));
  const unpack = (name: string) =>
    [createReadStream(join(pack, "bin", name)), createBrotliDecompress()] as const;
  await pipeline(...unpack("chromium.br"), createWriteStream(join(unfinished, "chromium"), { mode: 0o755 }));
  await pipeline(...unpack("al2023.tar.br"), unpackTar(unfinished));
  // Another test may have been faster.
  await rename(unfinished, directory).catch(() => rm(unfinished, { recursive: true }));
  return directory;
}

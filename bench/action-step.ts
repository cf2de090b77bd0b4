import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** The result of a process that sent something to a service. */
export interface SentEnd {
  /** From the spawn until the first request arrived. */
  readonly firstRequestSeconds: number;
  /** From the spawn to the end. */
  readonly seconds: number;
  /** The peak resident memory. */
  readonly peakMegabytes: number;
  /** The body that was posted last. */
  readonly posted: string;
}

export interface Sender {
  /** Arguments of node. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** An empty directory. */
  readonly directory: string;
}

/**
 * Runs a process against a service that accepts everything. SERVICE_URL and INPUT_API-URL hold the service's address. Rejects
 * when the process fails.
 */
export async function runSender({ args, env, cwd, directory }: Sender): Promise<SentEnd> {
  const began = performance.now();
  const elapsed = () => (performance.now() - began) / 1000;
  let firstRequestSeconds = Number.NaN;
  let posted = "";
  const server = createServer(async (incoming, response) => {
    if (Number.isNaN(firstRequestSeconds)) firstRequestSeconds = elapsed();
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    posted = Buffer.concat(chunks).toString();
    response.end(JSON.stringify({ prNumber: 12, prSha: "a".repeat(40), targetsCount: 1 }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const peak = join(directory, "peak");
  const witness = join(directory, "witness.mjs");
  await writeFile(
    witness,
    `import { writeFileSync } from "node:fs"; process.on("exit", () => writeFileSync(${JSON.stringify(peak)}, String(process.resourceUsage().maxRSS)));`,
  );
  try {
    const child = spawn(process.execPath, ["--import", pathToFileURL(witness).href, ...args], {
      cwd,
      stdio: ["ignore", "ignore", "inherit"],
      env: { PATH: process.env.PATH ?? "", SERVICE_URL: url, "INPUT_API-URL": url, ...env },
    });
    const [code] = (await once(child, "exit")) as [number | null];
    const seconds = elapsed();
    if (code !== 0) throw new Error(`${args.join(" ")} ended with ${code}`);
    const peakMegabytes = (Number(await readFile(peak, "utf8")) * 1024) / 1e6;
    return { firstRequestSeconds, seconds, peakMegabytes, posted };
  } finally {
    server.close();
  }
}

const action = join(import.meta.dirname, "../dist/index.js");

/** A step of the Action in a workflow on `pull_request`. */
export async function actionStep(
  inputs: Readonly<Record<string, string>>,
  { headSha, ...place }: { headSha: string; cwd: string; directory: string },
): Promise<Sender> {
  const event = {
    pull_request: {
      number: 12,
      head: { sha: headSha, repo: { full_name: "acme/widgets" } },
      base: { ref: "main", repo: { full_name: "acme/widgets" } },
    },
  };
  const { directory, cwd } = place;
  await mkdir(directory, { recursive: true });
  const eventPath = join(directory, "event.json");
  const output = join(directory, "output");
  await writeFile(eventPath, JSON.stringify(event));
  await writeFile(output, "");
  const all = { command: "impacted-targets", "api-token": "ty_secret", ...inputs };
  const env = {
    GITHUB_EVENT_PATH: eventPath,
    GITHUB_OUTPUT: output,
    GITHUB_REPOSITORY: "acme/widgets",
    GITHUB_SERVER_URL: "https://github.com",
    GITHUB_API_URL: "https://api.github.com",
    GITHUB_WORKSPACE: cwd,
    RUNNER_TEMP: directory,
    ...Object.fromEntries(Object.entries(all).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value])),
  };
  return { args: [action], env, ...place };
}

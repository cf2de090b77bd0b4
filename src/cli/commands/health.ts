import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import type { Command } from "commander";
import { loadEnvFile } from "../load-env-file.ts";
import { ownAddress } from "../own-address.ts";
import { printFailure, printJson } from "../print-json.ts";

const timeoutMs = 5_000;

/** Adds what `trainyard health` does. It is for health checks of containers, whose image may have no `curl`. */
export function defineHealth(command: Command): void {
  command
    .option("--json", "print a failure as JSON, too; the answer always is")
    .addHelpText("after", "\nIt asks at HOST and PORT of the environment or of .env.")
    .action(async ({ json }: { readonly json?: true }) => {
      process.exitCode = await health(json);
    });
}

async function health(json: true | undefined): Promise<number> {
  loadEnvFile();
  const url = `${ownAddress(process.env)}/healthz`;
  try {
    const answer = await request(url);
    if (answer.statusCode === 200) {
      printJson(JSON.parse(await text(answer)));
      return 0;
    }
    answer.resume();
    printFailure("UNEXPECTED_ANSWER", `${url} answers ${answer.statusCode}. Is this Trainyard?`, json);
  } catch (error) {
    printFailure("NO_ANSWER", `Trainyard does not answer at ${url}: ${reasonOf(error)}`, json);
  }
  return 1;
}

/** Never uses a proxy, even if `NODE_USE_ENV_PROXY` enables one for all other requests. */
async function request(url: string): Promise<IncomingMessage> {
  const sent = get(url, { agent: false, signal: AbortSignal.timeout(timeoutMs) });
  const [answer] = (await once(sent, "response")) as [IncomingMessage];
  return answer;
}

/** The error for a name with several addresses has no text. It contains an error for each address. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join(", ");
  return error instanceof Error ? error.message : String(error);
}

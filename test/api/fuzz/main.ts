/** `npm run fuzz`: generated requests to all endpoints of the API. */
import { parseArgs } from "node:util";
import { fuzz } from "./fuzz.ts";

const usage = `Usage: npm run fuzz -- [--requests N] [--seed N]

Sends N (100,000) generated requests over all endpoints to the real service on a local GitHub. An answer of 5xx, one that takes
more than two seconds, and one that /openapi.json does not describe is a fault. The same seed draws the same requests.`;

process.exitCode = await main(process.argv.slice(2));

async function main(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      requests: { type: "string", default: "100000" },
      seed: { type: "string", default: "20261121" },
      help: { type: "boolean", default: false },
    },
  });
  const [requests, seed] = [Number(values.requests), Number(values.seed)];
  if (values.help || !Number.isSafeInteger(requests) || !Number.isSafeInteger(seed) || requests < 1) {
    console.error(usage);
    return values.help ? 0 : 2;
  }
  const tell = (done: number) => {
    if (done % 10_000 === 0) console.error(`  … ${done.toLocaleString("en")}`);
  };
  const began = performance.now();
  const { faults, answered, slowestMs } = await fuzz({ requests, seed, slowMs: 2_000, tell });
  for (const [what, count] of [...answered].sort()) console.log(`${what.padEnd(40)} ${count}`);
  for (const { what, request, answer } of faults) console.log(`\n${what}\n  ${request}\n  ${answer}`);
  const [seconds, cpu] = [(performance.now() - began) / 1000, process.cpuUsage()];
  const cpuSeconds = (cpu.user + cpu.system) / 1e6;
  console.log(
    `\n${faults.length} faults; the slowest answer took ${Math.round(slowestMs)} ms; ${seconds.toFixed(0)} s, ${cpuSeconds.toFixed(0)} s of CPU; seed ${seed}`,
  );
  return faults.length === 0 ? 0 : 1;
}

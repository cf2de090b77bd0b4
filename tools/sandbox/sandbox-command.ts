import { serveSandbox } from "./serve-sandbox.ts";

/** `trainyard sandbox`: serves the local GitHub alone until it is stopped. Returns the exit code. */
export async function sandbox(argv: readonly string[], stop: AbortSignal): Promise<number> {
  await serveSandbox([...argv], { out: process.stdout, err: process.stderr }, stop);
  return 0;
}

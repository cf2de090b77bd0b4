import { serveSandbox } from "../sandbox/serve-sandbox.ts";

/** `trainyard sandbox`: serves only the local GitHub, until it is told to stop. */
export async function sandbox(argv: readonly string[], stop: AbortSignal): Promise<number> {
  await serveSandbox([...argv], { out: process.stdout, err: process.stderr }, stop);
  return 0;
}

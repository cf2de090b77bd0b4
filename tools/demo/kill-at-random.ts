import { setTimeout as sleep } from "node:timers/promises";
import { drawBetween } from "../sandbox/seeded-draw.ts";
import type { RunningDemo } from "./run-demo.ts";

interface Kills {
  readonly kills: number;
  readonly seed: number;
  /** How long it lives in between, from and to. */
  readonly everyMs: readonly [number, number];
}

/** Kills the service without warning and starts it again, at moments spread over the demo. Answers how often. */
export async function killAtRandom(
  { service, sandbox, finished }: Pick<RunningDemo, "service" | "sandbox" | "finished">,
  { kills, seed, everyMs }: Kills,
): Promise<number> {
  let ended = false;
  const end = () => {
    ended = true;
  };
  // What went wrong is told to those who wait for the demo itself.
  const ending = finished.then(end, end);
  for (let kill = 0; kill < kills; kill++) {
    await Promise.race([sleep(drawBetween(seed, everyMs, "kill", kill), undefined, { ref: false }), ending]);
    if (ended) return kill;
    await service.kill();
    sandbox.limits.forgetAnswers();
    await service.start();
  }
  return kills;
}

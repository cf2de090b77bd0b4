import { drawBetween } from "../../sandbox/seeded-draw.ts";
import type { RunningDemo } from "../demo/run-demo.ts";
import { pausesUntil } from "./pauses-until.ts";

interface Kills {
  readonly kills: number;
  readonly seed: number;
  /** How long the service lives between kills, from and to. */
  readonly everyMs: readonly [number, number];
}

/** Kills the service without warning and restarts it, at moments spread over the demo. Returns the number of kills. */
export async function killAtRandom(
  { service, sandbox, finished }: Pick<RunningDemo, "service" | "sandbox" | "finished">,
  { kills, seed, everyMs }: Kills,
): Promise<number> {
  const { pause, isOver } = pausesUntil(finished);
  for (let kill = 0; kill < kills; kill++) {
    await pause(drawBetween(seed, everyMs, "kill", kill));
    if (isOver()) return kill;
    await service.kill();
    sandbox.limits.forgetAnswers();
    await service.start();
  }
  return kills;
}

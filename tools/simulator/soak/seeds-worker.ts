import { parentPort } from "node:worker_threads";
import { runSeeds, type SeedRange } from "./run-seeds.ts";

/** A thread that plays one range of seeds after the other. */
parentPort?.on("message", (range: SeedRange) => parentPort?.postMessage(runSeeds(range)));

import { parentPort } from "node:worker_threads";
import { runSeeds, type SeedRange } from "./run-seeds.ts";

/** A worker thread that plays ranges of seeds, one after the other. */
parentPort?.on("message", (range: SeedRange) => parentPort?.postMessage(runSeeds(range)));

import { parentPort } from "node:worker_threads";
import type { SeedRange } from "../soak/run-seeds.ts";
import { runServiceSeeds } from "./play-service.ts";

/** A worker thread that plays ranges of seeds, one after the other. */
parentPort?.on("message", async (range: SeedRange) => parentPort?.postMessage(await runServiceSeeds(range)));

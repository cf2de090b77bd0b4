/**
 * Starts the thread that replays a queue. This file is JavaScript, because a TypeScript file would load Node's type stripper before
 * the compile cache is enabled. Each thread has to enable the cache itself.
 */
import { enableCompileCache } from "node:module";

enableCompileCache();
await import("./replay-queue.ts");

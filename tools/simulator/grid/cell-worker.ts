import { parentPort } from "node:worker_threads";
import { type Cell, runCell } from "./cell.ts";

/** A worker thread that runs cells, one after the other. */
parentPort?.on("message", (cell: Cell) => parentPort?.postMessage(runCell(cell)));

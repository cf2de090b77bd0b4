import { parentPort } from "node:worker_threads";
import { type Cell, runCell } from "./cell.ts";

/** A thread that runs one cell after the other. */
parentPort?.on("message", (cell: Cell) => parentPort?.postMessage(runCell(cell)));

import { parentPort } from "node:worker_threads";
import { runSmallCell, type SmallCell } from "./small-cell.ts";

/** A worker thread that runs cells of the small grid, one after the other. */
parentPort?.on("message", (cell: SmallCell) => parentPort?.postMessage(runSmallCell(cell)));

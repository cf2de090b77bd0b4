import { parentPort } from "node:worker_threads";
import { runSmallCell, type SmallCell } from "./small-cell.ts";

/** A thread that runs one cell of the small grid after the other. */
parentPort?.on("message", (cell: SmallCell) => parentPort?.postMessage(runSmallCell(cell)));

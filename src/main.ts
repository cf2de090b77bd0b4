#!/usr/bin/env node
import { enableCompileCache } from "node:module";

/** The `trainyard` command. */

// Later starts take half as long, and 20 MB less.
enableCompileCache();

const { runProgram } = await import("./cli/program.ts");

process.exitCode = await runProgram(process.argv.slice(2)).catch(async (error: unknown) =>
  (await import("./cli/data/on-database.ts")).reportProblem(error, process.argv.includes("--json")),
);

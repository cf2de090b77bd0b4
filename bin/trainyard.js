#!/usr/bin/env node
// The command of the npm package, and of a checkout. Plain JavaScript, because it runs on any version of Node.
import "../scripts/require-node.js";
import { existsSync } from "node:fs";

if (!process.exitCode) {
  // The documentation's `npm run demo -- --exit` has this separator. `npx trainyard demo -- --exit` works, too.
  if (process.argv[3] === "--") process.argv.splice(3, 1);
  // A checkout has the sources. The package has what `npm pack` bundled from them.
  const source = new URL("../src/main.ts", import.meta.url);
  await import(existsSync(source) ? source : new URL("../lib/src/main.js", import.meta.url));
}

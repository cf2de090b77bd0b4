/** The beginning of the thread that parses large bodies. Each thread has to enable the compile cache itself, and until then a TypeScript file would load the stripper of types. */
import { enableCompileCache } from "node:module";

enableCompileCache();
await import("./parse-bodies.ts");

import { createHash } from "node:crypto";
import { stripTypeScriptTypes } from "node:module";

/**
 * Jest runs a module in a context of its own, in which every look at a global goes through an interceptor: `Math.imul` takes as
 * long as all else that is done with a byte. Bound in each module, they are as fast as they are in Node.
 */
const globals = [
  ...["Array", "BigInt", "Boolean", "Error", "JSON", "Map", "Math", "Number", "Object", "Promise", "Reflect"],
  ...["RegExp", "Set", "String", "Symbol", "TypeError", "WeakMap", "WeakSet"],
  ...["Float64Array", "Int32Array", "Uint8Array", "Uint16Array", "Uint32Array"],
];
const binding = `const { ${globals.join(", ")} } = globalThis;`;

/** Has Jest read TypeScript as Node does: types become blanks, so that lines stay what they are. */
const transformer = {
  process: (source: string) => ({ code: `${binding} ${stripTypeScriptTypes(source)}` }),
  // Jest keeps what came of it, and would not see that this file has changed.
  getCacheKey(source: string, _path: string, { instrument }: { readonly instrument: boolean }) {
    return createHash("sha256")
      .update(JSON.stringify([binding, process.version, instrument, source]))
      .digest("hex");
  },
};

export default transformer;

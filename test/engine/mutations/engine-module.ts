import { globSync, readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Target } from "./mutation.ts";

/** Where a function of the engine is, and how its module can assign it. */
export interface Found {
  /** The URL of the module. */
  readonly url: string;
  /** An expression to which the module can assign the function, such as `Decision.prototype.record`. */
  readonly place: string;
}

interface Module {
  readonly url: string;
  /** Without types. */
  readonly text: string;
}

const folder = resolve(import.meta.dirname, "../../../src/engine");
let known: readonly Module[] | null = null;

/** The modules of the engine. */
function engineModules(): readonly Module[] {
  known ??= globSync("**/*.ts", { cwd: folder }).map((file) => {
    const path = join(folder, file);
    return { url: pathToFileURL(path).href, text: stripTypeScriptTypes(readFileSync(path, "utf8")) };
  });
  return known;
}

/** Finds a function of the engine. @throws unless exactly one function fits */
export function findFunction(target: Target): Found {
  const { name, fits } = describeTarget(target);
  const [owner = "", method] = name.split(".");
  // Spaces are in the place of `abstract`, which is a type.
  const declares = new RegExp(`^(?:export\\s+)?(?:function\\*?|class|const) ${owner}\\b`, "m");
  const modules = engineModules().filter(({ text }) => declares.test(text) && fits(text));
  const [module] = modules;
  if (!module || modules.length > 1)
    throw new Error(`the engine has ${modules.length} modules with the function "${name}", instead of one`);
  if (method === undefined) return { url: module.url, place: name };
  const isClass = new RegExp(`^(?:export\\s+)?class ${owner}\\b`, "m").test(module.text);
  return { url: module.url, place: isClass ? `${owner}.prototype.${method}` : name };
}

function describeTarget(target: Target): { name: string; fits: (text: string) => boolean } {
  if (typeof target === "string") return { name: target, fits: () => true };
  if (typeof target === "function") return { name: target.name, fits: contains(target) };
  return { name: target.name, fits: contains(target.beside) };
}

/** Whether a text contains a function. Its source identifies it even if several modules have functions of the same name. */
function contains(one: object): (text: string) => boolean {
  return (text) => text.includes(String(one));
}

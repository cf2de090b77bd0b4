import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

const file = join(import.meta.dirname, "../../docs/reference/cli.schema.json");
const ajv = new Ajv2020({ strict: false, logger: false });
addFormats.default(ajv);
ajv.addSchema(JSON.parse(readFileSync(file, "utf8")), "cli.schema.json");

/**
 * Parses the one line that a command printed with `--json`.
 *
 * @param name the words after `trainyard`, or `failure`
 * @throws when it does not have the shape that the documentation describes
 */
export function parseDocumented(name: string, text: string) {
  const value = JSON.parse(text);
  // The line ends, and there is no other.
  if (text.trimEnd().includes("\n") || !text.endsWith("\n")) throw new Error(`not one line: ${text}`);
  const shape = `cli.schema.json#/$defs/${encodeURIComponent(name)}`;
  if (!ajv.validate({ $ref: shape }, value))
    throw new Error(`${name} printed ${text}${ajv.errorsText(ajv.errors)}`);
  return value;
}

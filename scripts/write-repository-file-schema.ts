/**
 * Writes the JSON Schema of `.github/trainyard.yml` that editors read.
 *
 *     node scripts/write-repository-file-schema.ts
 */
import { writeFileSync } from "node:fs";
import { repositoryFileJsonSchema, schemaFileName } from "../src/command/parse-repository-file.ts";
import { formatSource } from "./format-source.ts";

const path = `docs/${schemaFileName}`;
const source = JSON.stringify(repositoryFileJsonSchema(), null, 2);
writeFileSync(new URL(`../${path}`, import.meta.url), formatSource(source, path));

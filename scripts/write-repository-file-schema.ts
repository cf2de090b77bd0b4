/**
 * Writes the JSON Schema of `.github/trainyard.yml` that editors read.
 *
 *     node scripts/write-repository-file-schema.ts
 */
import { writeFileSync } from "node:fs";
import { repositoryFileJsonSchema, schemaFileName } from "../src/command/repository-file-schema.ts";

const target = new URL(`../docs/${schemaFileName}`, import.meta.url);
writeFileSync(target, `${JSON.stringify(repositoryFileJsonSchema(), null, 2)}\n`);

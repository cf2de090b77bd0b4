import * as z from "zod";
import { repositoryFilePath, repositoryFileSchema } from "./repository-file.ts";

/** The name of the schema's file. The service and Trainyard's repository (under `docs/`) publish it. */
export const schemaFileName = "trainyard.schema.json";

/** Returns the JSON Schema of `.github/trainyard.yml`, for editors. */
export function repositoryFileJsonSchema(): object {
  const { $schema, ...schema } = z.toJSONSchema(repositoryFileSchema, { io: "input" });
  return { $schema, title: repositoryFilePath, ...schema };
}

import * as z from "zod";
import { repositoryFilePath, repositoryFileSchema } from "./repository-file.ts";

/** Where the service, and the repository of Trainyard under `docs/`, offer the schema. */
export const schemaFileName = "trainyard.schema.json";

/** The JSON Schema of `.github/trainyard.yml`, for editors. */
export function repositoryFileJsonSchema(): object {
  const { $schema, ...schema } = z.toJSONSchema(repositoryFileSchema, { io: "input" });
  return { $schema, title: repositoryFilePath, ...schema };
}

import { readFileSync } from "node:fs";
import { join } from "node:path";

/** What the Dockerfile says about a container. */
export interface Image {
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  readonly healthCheck: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly user: string | null;
  readonly workingDirectory: string | null;
}

/** Reads the last stage of the Dockerfile. */
export function readImage(): Image {
  const text = readFileSync(join(import.meta.dirname, "../../Dockerfile"), "utf8");
  const lines = text.slice(text.lastIndexOf("\nFROM ")).split("\n");
  const last = (word: string) =>
    lines.findLast((line) => line.startsWith(`${word} `))?.slice(word.length + 1) ?? null;
  const list = (text: string | null): string[] => JSON.parse(text?.replace(/^.*?CMD /, "") ?? "[]");
  const variables = (last("ENV") ?? "").split(" ").map((item) => item.split("=") as [string, string]);
  return {
    entrypoint: list(last("ENTRYPOINT")),
    command: list(last("CMD")),
    healthCheck: list(last("HEALTHCHECK")),
    environment: Object.fromEntries(variables),
    user: last("USER"),
    workingDirectory: last("WORKDIR"),
  };
}

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse, parseAllDocuments } from "yaml";

const read = (file: string): string => readFileSync(join(import.meta.dirname, "../..", file), "utf8");

/** How a deployment starts the service. */
export interface Start {
  /** `node`, its options, and what it runs. */
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly workingDirectory: string;
}

/** What the Dockerfile says about a container. */
export interface Image extends Start {
  /** Of the last stage. */
  readonly base: string;
  readonly healthCheck: readonly string[];
  readonly user: string;
  readonly labels: Readonly<Record<string, string>>;
  /** The commands that write the list of packages. */
  readonly sbom: string;
}

export function readImage(): Image {
  const text = read("Dockerfile");
  const [, base = ""] = /^FROM (\S+) AS base$/m.exec(text) ?? [];
  const lines = text.slice(text.lastIndexOf("\nFROM ")).split("\n");
  const last = (word: string): string => {
    const line = lines.findLast((line) => line.startsWith(`${word} `));
    if (line === undefined) throw new Error(`the Dockerfile has no ${word}`);
    return line.slice(word.length + 1);
  };
  const list = (text: string): string[] => JSON.parse(text.replace(/^.*?CMD /, ""));
  const labels = lines.flatMap((line) => {
    const [, name, value] = /^LABEL org\.opencontainers\.image\.(\w+)="(.*)"$/.exec(line) ?? [];
    return name === undefined ? [] : [[name, value]];
  });
  return {
    base,
    command: [...list(last("ENTRYPOINT")), ...list(last("CMD"))],
    healthCheck: list(last("HEALTHCHECK")),
    environment: Object.fromEntries(last("ENV").split(/ /).map(toVariable)),
    user: last("USER"),
    workingDirectory: last("WORKDIR"),
    labels: Object.fromEntries(labels),
    sbom: /^RUN (.*npm sbom .*) > sbom\.cdx\.json$/m.exec(text)?.[1] ?? "",
  };
}

export function readUnit(): Start {
  const text = read("deploy/systemd/trainyard.service");
  const all = (key: string): string[] =>
    [...text.matchAll(new RegExp(`^${key}=(.*)$`, "gm"))].map(([, value = ""]) => value);
  const [node, ...rest] = (all("ExecStart")[0] ?? "").split(" ");
  return {
    command: [node === "/usr/bin/node" ? "node" : "", ...rest],
    environment: {},
    workingDirectory: all("WorkingDirectory")[0] ?? "",
  };
}

/** How Kubernetes starts the image. */
export function readPod() {
  const [deployment] = parseAllDocuments(read("deploy/kubernetes/trainyard.yaml")).map((document) =>
    document.toJS(),
  );
  const { template } = deployment.spec;
  const [container] = template.spec.containers;
  const image = readImage();
  const own = container.env.map(({ name, value }: { name: string; value: string }) => [name, value]);
  const start: Start = {
    command: container.command ?? image.command,
    environment: { ...image.environment, ...Object.fromEntries(own) },
    workingDirectory: container.workingDir ?? image.workingDirectory,
  };
  return { template, container, start };
}

interface ComposeService {
  readonly environment: Readonly<Record<string, string>>;
  readonly env_file: readonly { readonly path: string; readonly required: boolean }[];
  readonly ports: readonly string[];
}

/** What compose.yaml makes of the variables of a file .env beside it. */
export function readCompose(service: string, given: Readonly<Record<string, string>>) {
  const interpolated = read("compose.yaml").replaceAll(
    /\$\{(\w+)(?::[-?]([^}]*))?\}/g,
    (_, name: string, otherwise = "") => given[name] || otherwise,
  );
  const { services } = parse(interpolated, { merge: true }) as { services: Record<string, ComposeService> };
  const { environment = {}, env_file = [], ports = [] } = services[service] ?? {};
  const passed = env_file.some(({ path }) => path === ".env") ? given : {};
  return { environment: { ...passed, ...environment }, ports };
}

function toVariable(text: string): [string, string] {
  const [, name = "", value = ""] = /^(\w+)=(.*)$/.exec(text) ?? [];
  return [name, value];
}

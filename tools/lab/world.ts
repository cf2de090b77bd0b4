import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../src/cli/free-port.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { startSandbox } from "../sandbox/start-sandbox.ts";
import { type Service, ServiceProcess, serviceEnvironment } from "./service/service-process.ts";

type SandboxOptions = Parameters<typeof startSandbox>[0];

/** A local GitHub, and the service that works on it. */
export interface World<S extends Service = Service> extends Deployed<S> {
  readonly sandbox: Sandbox;
  /** For logs and files. It is removed afterwards if nothing was wrong. */
  readonly directory: string;
}

/** A service that has not been started yet, and its database. */
export interface Deployed<S extends Service = Service> {
  readonly service: S;
  readonly databaseUrl: string;
}

export interface Place {
  readonly sandbox: Sandbox;
  readonly directory: string;
  /** The port at which clients reach the service. */
  readonly port: number;
  /** Settings that override those of `serviceEnvironment`. */
  readonly settings: Readonly<Record<string, string>>;
}

interface WorldOptions<S extends Service> {
  /** The name of the experiment. */
  readonly name: string;
  readonly sandbox?: SandboxOptions;
  readonly deploy: (place: Place) => Promise<Deployed<S>>;
  /** Null = one that is free. */
  readonly port?: number | null;
  readonly settings?: Readonly<Record<string, string>>;
  /** Receives the place of the service's log if something was wrong. Default: standard error. */
  readonly tell?: (text: string) => void;
}

/** Deploys the service as one process on SQLite. */
export async function deployAlone({
  sandbox,
  directory,
  port,
  settings,
}: Place): Promise<Deployed<ServiceProcess>> {
  const databaseUrl = `sqlite:${join(directory, "trainyard.db")}`;
  const env = { ...serviceEnvironment(sandbox, port, databaseUrl), ...settings };
  return { databaseUrl, service: new ServiceProcess(env, join(directory, "service.log")) };
}

/** Plays something in a new world, and closes the world afterwards. Keeps its directory after violations or an error. */
export async function inWorld<S extends Service, R extends { readonly violations: readonly string[] }>(
  { name, sandbox: options, deploy, port = null, settings = {}, tell = console.error }: WorldOptions<S>,
  play: (world: World<S>) => Promise<R>,
): Promise<R> {
  const directory = await mkdtemp(join(tmpdir(), `trainyard-${name}-`));
  const sandbox = await startSandbox(options);
  let service: Service | null = null;
  let isSound = false;
  try {
    const deployed = await deploy({ sandbox, directory, port: port ?? (await freePort()), settings });
    service = deployed.service;
    const result = await play({ ...deployed, sandbox, directory });
    isSound = result.violations.length === 0;
    return result;
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    throw new Error(`${text} (the service's log is in ${directory})`, { cause: error });
  } finally {
    await service?.stop();
    await sandbox.close();
    if (isSound) {
      await rm(directory, { recursive: true, force: true });
    } else {
      const requests = sandbox.requests.entries.map((entry) => `${JSON.stringify(entry)}\n`).join("");
      await writeFile(join(directory, "requests.jsonl"), requests);
      tell(`The service's log and database, and the requests to GitHub, are in ${directory}`);
    }
  }
}

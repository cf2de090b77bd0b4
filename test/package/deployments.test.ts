import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { secretVariables } from "../../src/settings/variables.ts";
import { readCompose, readImage, readPod, readUnit } from "./image.ts";

const root = join(import.meta.dirname, "../..");
const named = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const image = readImage();

/** All variables of the reference, each with a value of its own. */
function documentedVariables(): Record<string, string> {
  const reference = readFileSync(join(root, "docs/reference/configuration.md"), "utf8");
  const [, rows = ""] = /## Environment\n(.*?)\n## /s.exec(reference) ?? [];
  const names = [...rows.matchAll(/^\| `(\w+)` \|/gm)].map(([, name = ""]) => name);
  return Object.fromEntries(
    [...names, ...secretVariables.map((name) => `${name}_FILE`)].map((name) => [name, `value of ${name}`]),
  );
}

describe("compose.yaml", () => {
  test("passes every documented variable of .env to the container, and publishes its PORT", () => {
    const given = documentedVariables();
    expect(Object.keys(given)).toEqual(expect.arrayContaining(["GHE_HOST", "TRAINYARD_ENCRYPTION_KEY"]));
    const { environment, ports } = readCompose("trainyard", given);
    const inside = { HOST: "0.0.0.0", PORT: "3000" };
    expect(environment).toEqual({ ...given, ...inside });
    expect(ports).toEqual([`127.0.0.1:${given.PORT}:3000`]);
    expect(readCompose("trainyard", {}).ports).toEqual(["127.0.0.1:3000:3000"]);
  });

  test("gives the same variables to three replicas, with a database on the PostgreSQL server beside them", () => {
    const given = documentedVariables();
    const { environment, ports } = readCompose("replicas", { ...given, POSTGRES_PASSWORD: "secret" });
    const inside = { HOST: "0.0.0.0", PORT: "3000", DATABASE_URL: "postgres://trainyard@postgres/trainyard" };
    expect(environment).toEqual({ ...given, ...inside, POSTGRES_PASSWORD: "secret", PGPASSWORD: "secret" });
    expect(ports).toEqual(["127.0.0.1:3000-3002:3000"]);
  });
});

describe("the image", () => {
  test("is built on the Node.js of package.json, pinned by its digest", () => {
    const { node } = named.devDependencies;
    expect(image.base).toMatch(new RegExp(`^node:${node.replaceAll(".", "\\.")}-slim@sha256:[0-9a-f]{64}$`));
  });

  test("has the labels of the Open Container Initiative, with what package.json says", () => {
    const { description, license: licenses, version } = named;
    const title = "Trainyard";
    expect(image.labels).toEqual({ title, description, licenses, version, revision: "$REVISION" });
  });

  test("runs as a user other than root, in the folder of the data", () => {
    expect(image.user).toMatch(/^[1-9]\d*:[1-9]\d*$/);
    expect(image.workingDirectory).toBe("/data");
  });
});

test("the unit of systemd runs the command of the image", () => {
  const inImage = image.command.map((text) => text.replace("/app", "/opt/trainyard/node_modules/trainyard"));
  expect(readUnit().command).toEqual(inImage);
});

test("Kubernetes runs the image as its user on a read-only root, and asks for its health where the image answers", () => {
  const { template, container } = readPod();
  const [uid, gid] = image.user.split(":").map(Number);
  const security = { runAsNonRoot: true, runAsUser: uid, runAsGroup: gid, fsGroup: gid };
  expect(template.spec.securityContext).toMatchObject(security);
  expect(container.securityContext.readOnlyRootFilesystem).toBe(true);
  expect(container.volumeMounts).toContainEqual({ name: "data", mountPath: image.workingDirectory });
  const [port] = container.ports;
  expect(port).toEqual({ name: "http", containerPort: Number(image.environment.PORT) });
  expect(container.livenessProbe.httpGet).toEqual({ path: "/healthz", port: "http" });
  expect(container.readinessProbe.httpGet).toEqual({ path: "/readyz", port: "http" });
  expect(container.image).toMatch(new RegExp(`:${named.version.replaceAll(".", "\\.")}$`));
});

#!/usr/bin/env node
/**
 * A stub of Bazel. It answers `bazel query --output=proto //...:all-targets` for BUILD files of rules with
 * `srcs` and `outs`, in the messages of Bazel's build.proto that `recorded/bazel.json` has from the real
 * Bazel. Like Bazel, it fails for a label that does not exist.
 */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";

const top = process.cwd();
if (!process.argv.includes("query") || !process.argv.includes("//...:all-targets")) process.exit(2);

const folders = [];
find("");
const targets = new Map();
for (const folder of folders) read(folder);
for (const { inputs = [], label } of [...targets.values()]) {
  for (const input of inputs) {
    if (targets.has(input)) continue;
    console.error(`ERROR: no such target '${input}': referenced by '${label}'`);
    process.exit(7);
  }
}
for (const { bytes } of targets.values()) process.stdout.write(field(1, bytes));

function find(folder) {
  const entries = readdirSync(join(top, folder), { withFileTypes: true });
  if (entries.some(({ name }) => name === "BUILD")) folders.push(folder);
  for (const entry of entries) {
    if (entry.isDirectory() && entry.name !== ".git") find(posix.join(folder, entry.name));
  }
}

function read(folder) {
  const text = readFileSync(join(top, folder, "BUILD"), "utf8");
  const loads = [...text.matchAll(/^load\("([^"]+)"/gm)].map(([, label]) => label);
  add({ label: `//${folder}:BUILD`, kind: 3, parts: loads.map((load) => field(3, load)) });
  for (const [, list] of text.matchAll(/exports_files\((\[.*?\])\)/g)) {
    for (const file of JSON.parse(list)) addSource(folder, file);
  }
  for (const [, rule, name, sources, outputs] of text.matchAll(
    /(\w+)\(name = "(\w+)", srcs = (\[.*?\]), outs = (\[.*?\])/g,
  )) {
    const label = `//${folder}:${name}`;
    const inputs = JSON.parse(sources).map((source) =>
      source.startsWith("//") ? source : `//${folder}:${source}`,
    );
    // A file that a rule names becomes a target if it is in that package.
    for (const input of inputs) if (!input.endsWith(":all_of_it")) addNamed(input);
    const bzl = rule === "checked" ? readFileSync(join(top, "defs.bzl"), "utf8") : "";
    const hash = createHash("sha256")
      .update(rule + bzl)
      .digest("hex");
    const parts = [field(2, rule), ...inputs.map((input) => field(5, input)), field(4, field(1, hash))];
    add({ label, kind: 2, inputs, parts });
    for (const output of JSON.parse(outputs)) {
      add({
        label: `//${folder}:${output}`,
        kind: 4,
        inputs: [label],
        parts: [field(2, label)],
        kindField: 3,
      });
    }
  }
}

function addNamed(label) {
  const [, folder, name] = /^\/\/([^:]*):(.*)$/.exec(label);
  if (name !== "out.txt") addSource(folder, name);
}

function addSource(folder, name) {
  const isInner = folders.some(
    (other) =>
      other !== folder &&
      `${folder ? `${folder}/` : ""}${name}`.startsWith(`${other}/`) &&
      other.length > folder.length,
  );
  if (isInner || !folders.includes(folder)) return;
  if (existsSync(join(top, folder, name))) add({ label: `//${folder}:${name}`, kind: 3, parts: [] });
}

function add({ label, kind, inputs, parts }) {
  if (targets.has(label)) return;
  // Target { type = 1, rule = 2, source_file = 3, generated_file = 4 }
  const message = Buffer.concat([field(1, label), ...parts]);
  targets.set(label, {
    label,
    inputs,
    bytes: Buffer.concat([Buffer.from([8, kind - 1]), field(kind, message)]),
  });
}

function field(number, content) {
  const bytes = Buffer.from(content);
  return Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes]);
}

function varint(value) {
  const bytes = [];
  for (let left = value; ; left = Math.floor(left / 128)) {
    bytes.push(left < 128 ? left : (left % 128) + 128);
    if (left < 128) return Buffer.from(bytes);
  }
}

import { expect, test } from "@jest/globals";
import { maskGenerated } from "../../src/flaky/generated-parts.ts";

test.each([
  ["node=25.0.0-nightly20261129b3c4d5e6f7", "node=25.0.0-nightly…"],
  ["rust=nightly-2026-11-29, os=linux", "rust=nightly-…, os=linux"],
  ["2026-11-29T12:30:05Z", "…"],
  ["image=app:sha-1a2b3c4", "image=app:sha-…"],
  ["sha=0123456789abcdef0123456789abcdef01234567", "sha=…"],
  ["version=v1.2.3-45-g1a2b3c4", "version=v1.2.3-…"],
  ["zig=0.16.0-dev.1456+16fc083f2", "zig=0.16.0-dev.…+…"],
  ["id=550e8400-e29b-41d4-a716-446655440000", "id=…"],
  ["run_id=17283940516", "run_id=…"],
  ["seed=4711", "seed=…"],
  ["build-number: 812", "build-number: …"],
  ["test (Linux, 20261129)", "test (Linux, …)"],
])("what changes in every run is masked in a name: %s", (name, masked) => {
  expect(maskGenerated(name)).toBe(masked);
  expect(maskGenerated(masked)).toBe(masked);
});

test.each([
  "Linux, os=ubuntu-24.04, node=24.1.0, shard=1/4",
  "shard.part=12, shard.of=256",
  "windows-2022, msvc=19.44.35207",
  "chrome=131.0.6778.85, 10.0.26100, postgres:17-alpine3.20",
  "python=3.15.0a2, ruby=3.4.0-preview1, go=1.26rc1, seed=7",
  "x86_64, arm64, es2022, utf-8, decade, facade",
  // The Action has shortened it.
  `${"x".repeat(51)} 123456abcdef`,
])("versions, shards and systems stay in a name: %s", (name) => {
  expect(maskGenerated(name)).toBe(name);
});

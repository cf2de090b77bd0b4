import { describe, expect, test } from "@jest/globals";
import { checkWebhookAddress } from "../../src/cli/setup/public-address.ts";

const webhook = (host: string) => ({
  variable: "TRAINYARD_PUBLIC_URL",
  url: `http://${host}/api/github/webhooks`,
});
const loopback = ["localhost", "yard.localhost:3000", "127.0.0.1:3000", "127.1", "[::1]", "0.0.0.0", "[::]"];
const inside = [
  "10.0.0.7",
  "172.16.4.4",
  "192.168.1.2:3000",
  "100.64.0.1",
  "169.254.1.1",
  "[fd00::7]",
  "[fe80::1]",
];
const insideNames = ["trainyard", "yard.local", "yard.internal", "yard.home.arpa"];
const outside = ["queue.example.com", "8.8.8.8", "queue.example.com:8443", "[2606:4700::1]"];

const codeIn = (checked: object) => ("code" in checked ? checked.code : null);
const codeOf = (host: string, github: string) => codeIn(checkWebhookAddress(webhook(host), github));

describe("webhooks of", () => {
  for (const github of ["github.com", "octocorp.ghe.com"]) {
    for (const host of [...loopback, ...inside, ...insideNames])
      test(`${github} do not reach ${host}`, () => {
        expect(codeOf(host, github)).toBe("PUBLIC_URL_NOT_REACHABLE");
      });
    for (const host of outside)
      test(`${github} may reach ${host}`, () => expect(codeOf(host, github)).toBeNull());
  }

  test("a GitHub Enterprise Server reach its network, but not the loopback address of another machine", () => {
    for (const host of [...inside, ...insideNames, ...outside])
      expect(codeOf(host, "git.corp.example")).toBeNull();
    for (const host of loopback) expect(codeOf(host, "git.corp.example")).toBe("PUBLIC_URL_NOT_REACHABLE");
  });

  test("a GitHub on this machine reach this machine", () => {
    for (const github of ["127.0.0.1:4000", "localhost:4000", "[::1]:4000"])
      for (const host of [...loopback, ...inside]) expect(codeOf(host, github)).toBeNull();
  });
});

test("a missing public address or one with another scheme is reported with the setting's name", () => {
  expect(checkWebhookAddress(null, "github.com")).toEqual({
    code: "PUBLIC_URL_MISSING",
    problem: expect.stringContaining("TRAINYARD_PUBLIC_URL"),
  });
  const ftp = { variable: "WEBHOOK_PROXY_URL", url: "ftp://queue.example.com" };
  expect(checkWebhookAddress(ftp, "github.com")).toMatchObject({
    problem: expect.stringMatching(/^WEBHOOK_PROXY_URL is ftp:/),
  });
});

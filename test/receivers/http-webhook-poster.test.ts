import type { LookupAddress } from "node:dns";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { HttpWebhookPoster, type LookupAll } from "../../src/receivers/http-webhook-poster.ts";

import { isPublicAddress } from "../../src/receivers/public-address.ts";
import { Receiver } from "../service/webhooks/receiver.ts";

let receiver: Receiver;

beforeEach(async () => {
  receiver = await Receiver.start();
});
afterEach(() => receiver.close());

/** A lookup that returns one list of addresses after the other, and repeats the last one. */
function answering(...answers: string[][]): LookupAll & { asked: number } {
  const lookup = ((_hostname, _options, callback) => {
    const answer = answers[Math.min(lookup.asked++, answers.length - 1)] ?? [];
    const addresses: LookupAddress[] = answer.map((address) => ({
      address,
      family: address.includes(":") ? 6 : 4,
    }));
    callback(null, addresses);
  }) as LookupAll & { asked: number };
  lookup.asked = 0;
  return lookup;
}

const strict = (lookup?: LookupAll) =>
  new HttpWebhookPoster({ allowPrivate: false, ...(lookup ? { lookup } : {}) });

const special = [
  ["this network", "0.0.0.0"],
  ["private, 10/8", "10.1.2.3"],
  ["private, 172.16/12", "172.31.255.255"],
  ["private, 192.168/16", "192.168.0.1"],
  ["shared (CGNAT)", "100.64.0.1"],
  ["loopback", "127.0.0.1"],
  ["loopback, another one", "127.255.0.7"],
  ["link-local, where clouds keep credentials", "169.254.169.254"],
  ["protocol assignments", "192.0.0.8"],
  ["documentation", "192.0.2.1"],
  ["6to4 relays", "192.88.99.1"],
  ["benchmarking", "198.18.0.1"],
  ["multicast", "224.0.0.1"],
  ["reserved", "240.0.0.1"],
  ["broadcast", "255.255.255.255"],
  ["unspecified", "::"],
  ["IPv6 loopback", "::1"],
  ["IPv4-mapped loopback", "::ffff:127.0.0.1"],
  ["IPv4-mapped private, in hexadecimal", "::ffff:a00:1"],
  ["IPv4-compatible", "::10.0.0.1"],
  ["NAT64", "64:ff9b::10.0.0.1"],
  ["local NAT64", "64:ff9b:1::1"],
  ["discard", "100::1"],
  ["Teredo", "2001::1"],
  ["IPv6 documentation", "2001:db8::1"],
  ["6to4 of a private one", "2002:a00:1::1"],
  ["unique local", "fd12::1"],
  ["IPv6 link-local", "fe80::1"],
  ["deprecated site-local", "fec0::1"],
  ["IPv6 multicast", "ff02::1"],
  ["not given to anybody yet", "4000::1"],
] as const;

describe.each(special)("%s", (_what, address) => {
  test("is not public, and a connection by a name that resolves to it is refused", async () => {
    expect(isPublicAddress(address)).toBe(false);
    const lookup = answering([address]);
    expect(await strict(lookup).post("https://hooks.example/", {}, "{}")).toEqual({
      kind: "failed",
      error: "it could not be reached: its name leads to an address that is not public",
    });
    expect(lookup.asked).toBe(1);
  });

  test("is rejected as the address of a webhook", async () => {
    const url = `https://${address.includes(":") ? `[${address}]` : address}/hook`;
    expect(strict().objection(url)).toBe("its address is not a public one");
    expect(await strict().post(url, {}, "{}")).toEqual({
      kind: "failed",
      error: "nothing was sent: its address is not a public one",
    });
  });
});

test.each(["8.8.8.8", "140.82.112.3", "2606:4700::1111", "2a00:1450:4001::1"])("%s is public", (address) => {
  expect(isPublicAddress(address)).toBe(true);
});

test("a name that resolves to this machine at connection time is rejected, because the connection uses the checked address", async () => {
  const lookup = answering(["93.184.215.14"], ["127.0.0.1"]);
  const poster = strict(lookup);
  const first = await new Promise((resolve) =>
    lookup("hooks.example", { all: true }, (_error, addresses) => resolve(addresses)),
  );
  expect(first).toEqual([{ address: "93.184.215.14", family: 4 }]);
  const posted = await poster.post(`https://hooks.example:${receiver.port}/hook`, {}, "{}");
  expect(posted).toMatchObject({ kind: "failed", error: expect.stringContaining("not public") });
  expect(lookup.asked).toBe(2);
  expect(receiver.connections).toBe(0);
});

test("a name with a public and a private address is rejected, because the connection could use either", async () => {
  const posted = await strict(answering(["93.184.215.14", "10.0.0.1"])).post("https://a.example", {}, "{}");
  expect(posted).toMatchObject({ kind: "failed", error: expect.stringContaining("not public") });
});

test("the same connection succeeds without the guard", async () => {
  const poster = new HttpWebhookPoster({ allowPrivate: true });
  const posted = await poster.post(`http://localhost:${receiver.port}/hook`, {}, "{}");
  expect(posted).toMatchObject({ kind: "answered", status: 200 });
  expect(receiver.connections).toBe(1);
});

test.each([
  ["http://hooks.example/", "it must begin with https://"],
  ["ftp://hooks.example/", "it must begin with https://"],
  ["hooks.example", "it is not an address such as https://example.com/hook"],
  [`https://hooks.example/${"x".repeat(3_000)}`, "it is not an address such as https://example.com/hook"],
  ["https://user:secret@hooks.example/", "it must not hold a user or a password"],
  ["https://localhost/", "its address is not a public one"],
  ["https://localhost./", "its address is not a public one"],
  ["https://yard.localhost/", "its address is not a public one"],
  ["https://127.1/", "its address is not a public one"],
  ["https://2130706433/", "its address is not a public one"],
  ["https://0x7f.0.0.1/", "its address is not a public one"],
  ["https://0177.0.0.1/", "its address is not a public one"],
])("the webhook address %s is rejected: %s", (url, objection) => {
  expect(strict().objection(url)).toBe(objection);
});

test("with private addresses allowed, plain HTTP is allowed, but no other scheme", () => {
  const poster = new HttpWebhookPoster({ allowPrivate: true });
  expect(poster.objection("http://10.0.0.1:8080/hook")).toBeNull();
  expect(poster.objection("file:///etc/passwd")).toBe("it must begin with https://");
  expect(strict().objection("https://hooks.example/trainyard?key=1")).toBeNull();
});

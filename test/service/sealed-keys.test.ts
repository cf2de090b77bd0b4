import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { SealedKeys, SecretSeal } from "../../src/service/access/secret-seal.ts";

import { openStore, type Store } from "../../src/store/sqlite/open-store.ts";

const key = new Uint8Array(32).fill(7);
const clear = Buffer.from(key).toString("base64");
const [old, current] = [randomBytes(32), randomBytes(32)];

describe("a key that the service creates for itself", () => {
  let store: Store;
  let logged: string[];
  const log = {
    debug() {},
    info() {},
    warn() {},
    error: (_: object, text: string) => void logged.push(text),
  };
  beforeEach(async () => {
    store = await openStore(":memory:");
    logged = [];
  });
  afterEach(() => store.close());

  const keysWith = (...keys: Buffer[]) => new SealedKeys(store.signingKeys, new SecretSeal(keys));
  const kept = async () => (await store.signingKeys.list())[0]?.value ?? "";

  async function obtain(keys: SealedKeys): Promise<number[]> {
    return [...(await keys.obtain("pages", key))];
  }

  it("is not stored in the clear when there is an encryption key", async () => {
    expect(await obtain(keysWith(current))).toEqual([...key]);
    expect(await kept()).not.toContain(clear);
    expect(await obtain(keysWith(current))).toEqual([...key]);
  });

  it("is sealed at the first start with an encryption key, if it was stored in the clear until then", async () => {
    await obtain(keysWith());
    expect(await kept()).toBe(clear);
    await keysWith(current).resealAll(log);
    expect(await kept()).not.toContain(clear);
    expect(await obtain(keysWith(current))).toEqual([...key]);
  });

  it("is sealed with the new encryption key at the next start, after which the previous one is not needed", async () => {
    await obtain(keysWith(old));
    await keysWith(current, old).resealAll(log);
    expect(await obtain(keysWith(current))).toEqual([...key]);
    const sealed = await kept();
    await keysWith(current, old).resealAll(log);
    expect(await kept()).toBe(sealed);
  });

  it("is kept without its encryption key but cannot be used, as the log and the error explain", async () => {
    await obtain(keysWith(old));
    const sealed = await kept();
    await keysWith(current).resealAll(log);
    await keysWith().resealAll(log);
    const problem = expect.stringMatching(/pages cannot be used: .*set TRAINYARD_ENCRYPTION_KEY/);
    expect(logged).toEqual([problem, problem]);
    await expect(obtain(keysWith(current))).rejects.toThrow(/set TRAINYARD_ENCRYPTION_KEY/);
    await expect(obtain(keysWith())).rejects.toThrow(/set TRAINYARD_ENCRYPTION_KEY/);
    expect(await kept()).toBe(sealed);
  });
});

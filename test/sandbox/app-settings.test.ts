import { expect, test } from "@jest/globals";
import { inSandbox, target } from "./scene.ts";

test("the App can read the address of its webhook, and none when it has none", () =>
  inSandbox(async ({ sandbox, asApp }) => {
    expect((await asApp.rest.apps.getWebhookConfigForApp()).data).not.toHaveProperty("url");
    sandbox.setWebhookUrl("http://127.0.0.1:9/hook");
    expect((await asApp.rest.apps.getWebhookConfigForApp()).data).toMatchObject({
      url: "http://127.0.0.1:9/hook",
      content_type: "json",
    });
    sandbox.setWebhookUrl(null);
  }));

test("a caller's rate limit has the configured size, and reading it costs nothing", () =>
  inSandbox(
    async ({ asAlice }) => {
      const remaining = async () => (await asAlice.rest.rateLimit.get()).data.resources.core.remaining;
      const before = await remaining();
      await asAlice.rest.repos.get(target);
      expect(before - (await remaining())).toBeLessThanOrEqual(2);
      const { headers } = await asAlice.rest.repos.get(target);
      expect(headers["x-ratelimit-limit"]).toBe("1000");
    },
    { callsPerHour: 1_000 },
  ));

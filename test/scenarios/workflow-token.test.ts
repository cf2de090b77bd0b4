import { expect, test } from "@jest/globals";
import { audience, TokenIssuer } from "../api/token-issuer.ts";
import { Stage } from "./stage.ts";

test("a workflow can submit its pull request with the token that GitHub issues to it, and it merges", async () => {
  const issuer = await TokenIssuer.start();
  const stage = await Stage.open({
    queue: { mergeMethod: "squash" },
    environment: {
      TRAINYARD_OIDC_ISSUER: issuer.url,
      TRAINYARD_OIDC_KEYS_URL: issuer.keysUrl,
      TRAINYARD_OIDC_AUDIENCE: audience,
    },
  });
  try {
    const number = await stage.openPullRequest("a");
    const submit = async (jwt: string) => {
      const response = await fetch(`${stage.url}/v1/submitPullRequest`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${jwt}` },
        body: JSON.stringify({ ...stage.queue, pr: { number } }),
      });
      return response.status;
    };
    expect(await submit(await issuer.issue({ aud: "https://github.com/acme" }))).toBe(401);
    expect(await submit(await issuer.issue())).toBe(200);
    expect((await stage.until(number, "merged")).submittedBy).toBe("CI");
  } finally {
    await stage.close();
    await issuer.close();
  }
});

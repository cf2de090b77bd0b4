/** The floor of `targets`, in a separate process: parses the JSON that it receives, and answers how long that took. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

const server = createServer(async (request, response) => {
  const body = await text(request);
  const began = performance.now();
  JSON.parse(body);
  response.end(JSON.stringify({ ms: performance.now() - began }));
});
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  console.log(JSON.stringify({ url: `http://127.0.0.1:${port}` }));
});
process.once("SIGTERM", () => process.exit());

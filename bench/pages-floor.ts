/** The floor of `pages`, in a separate process: as many bytes as the path says, at once or on a connection that stays open. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const server = createServer(({ url = "" }, response) => {
  const [, kind, bytes] = url.split("/");
  const body = "x".repeat(Number(bytes));
  if (kind === "live") response.writeHead(200, { "content-type": "text/event-stream" }).write(body);
  else response.end(body);
});
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  console.log(JSON.stringify({ url: `http://127.0.0.1:${port}`, pid: process.pid }));
});
process.once("SIGTERM", () => process.exit());

/** Polls an address over one connection. Once its input ends, it prints how long each answer took. */
import { Agent, get } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

const [url = ""] = process.argv.slice(2);
const pauseMs = 5;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const latencies: number[] = [];
let isOver = false;

process.stdin.resume().once("end", () => {
  isOver = true;
});
console.log("asking");
while (!isOver) {
  const sent = performance.now();
  await ask();
  latencies.push(performance.now() - sent);
  await sleep(pauseMs);
}
console.log(JSON.stringify(latencies));
agent.destroy();

/** Rejects when the connection was closed: a lost answer must not be hidden. */
function ask(): Promise<void> {
  return new Promise((resolve, reject) => {
    get(url, { agent }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${url} answered ${response.statusCode}`));
      response.resume().once("end", resolve);
    }).once("error", reject);
  });
}

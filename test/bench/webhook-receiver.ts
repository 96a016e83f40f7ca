import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A webhook that accepts every post. `GET` returns the number of posts. */
let posts = 0;
const server = createServer((request, response) => {
  if (request.method !== "POST") return void response.end(String(posts));
  request.on("data", () => {});
  request.on("end", () => {
    posts += 1;
    response.writeHead(204).end();
  });
});
server.listen(0, "127.0.0.1", () =>
  console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`),
);
process.on("SIGTERM", () => process.exit(0));

import { createServer } from "node:http";
import { announce } from "./announce.js";

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
announce(server);

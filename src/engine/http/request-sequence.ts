import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** The maximum number of requests of a connection that wait for earlier responses. */
const maxWaiting = 64;

interface Sequence {
  waiting: [request: IncomingMessage, response: ServerResponse][];
  isFull: boolean;
}

/**
 * Handles the requests of each connection one after another, interleaved with those of other connections. Reading
 * pauses meanwhile, but Node.js still parses what it has already read: up to 64 KiB or 2,400 requests. Requests beyond
 * the limit are not handled. The last response before them announces that the connection closes, so the client knows
 * that it may send them again.
 */
export function inSequence(handle: RequestListener): RequestListener {
  const sequences = new WeakMap<Socket, Sequence>();

  const run = (socket: Socket, sequence: Sequence, request: IncomingMessage, response: ServerResponse) => {
    response.once("close", () => {
      if (sequence.waiting.length === 0 || socket.destroyed) sequences.delete(socket);
      else setImmediate(() => next(socket, sequence));
    });
    handle(request, response);
  };

  const next = (socket: Socket, sequence: Sequence) => {
    const following = sequence.waiting.shift();
    if (!following) return;
    // The body of the last request may still have to arrive.
    if (sequence.waiting.length === 0 && !sequence.isFull) socket.resume();
    else socket.pause();
    run(socket, sequence, ...following);
  };

  return (request, response) => {
    const { socket } = request;
    const sequence = sequences.get(socket);
    if (!sequence) {
      const started = { waiting: [], isFull: false };
      sequences.set(socket, started);
      run(socket, started, request, response);
      return;
    }
    socket.pause();
    if (sequence.isFull) return;
    sequence.waiting.push([request, response]);
    sequence.isFull = sequence.waiting.length === maxWaiting;
    if (sequence.isFull) response.shouldKeepAlive = false;
  };
}

import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** How many requests of a connection may wait for the responses before theirs. */
const maxWaiting = 64;

/** What a connection has sent before it had the response to the last request. */
interface Sequence {
  waiting: [request: IncomingMessage, response: ServerResponse][];
  isFull: boolean;
}

/**
 * Handles the requests of each connection one after another, with those of others in
 * between. Nothing more is read meanwhile, but Node parses what it has read, up to 64 KiB
 * or 2,400 requests, before it stops: those beyond the limit are not handled. The last
 * response before them says that the connection closes, so that the client knows that it
 * may send them again.
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
    const [request, response] = sequence.waiting.shift() as Sequence["waiting"][0];
    // The body of the last one may still have to be received.
    if (sequence.waiting.length === 0 && !sequence.isFull) socket.resume();
    else socket.pause();
    run(socket, sequence, request, response);
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

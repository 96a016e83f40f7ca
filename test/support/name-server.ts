import { createSocket } from "node:dgram";
import { once } from "node:events";
import dnsPacket from "dns-packet";

/**
 * A name server that stops after the running test. `addressOf` returns the IPv4 address
 * of a name, and is called for each query.
 */
export async function nameServer(addressOf: (name: string) => string): Promise<string> {
  const socket = createSocket("udp4");
  socket.on("message", (message, client) => {
    const { id, questions = [] } = dnsPacket.decode(message);
    const [question] = questions;
    const answers =
      question?.type === "A"
        ? [{ type: "A" as const, name: question.name, ttl: 0, data: addressOf(question.name) }]
        : [];
    socket.send(
      dnsPacket.encode({
        type: "response",
        id: id ?? 0,
        flags: dnsPacket.RECURSION_DESIRED,
        questions,
        answers,
      }),
      client.port,
      client.address,
    );
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  onTestFinished(() => void socket.close());
  return `127.0.0.1:${socket.address().port}`;
}

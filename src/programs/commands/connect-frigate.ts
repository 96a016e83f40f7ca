import { runConnector } from "../connectors/connector/run-connector.js";
import { frigateConnector } from "../connectors/frigate/frigate.js";

/** `npm run connect:frigate -- <config.json>`: records the reviews of Frigate as alerts. */
await runConnector(frigateConnector);

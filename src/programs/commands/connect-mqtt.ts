import { runConnector } from "../connectors/connector/run-connector.js";
import { mqttConnector } from "../connectors/mqtt/mqtt.js";

/** `npm run connect:mqtt -- <config.json>`: records what detectors publish over MQTT. */
await runConnector(mqttConnector);

import { z } from "zod";
import { baseUrl, oneOf, visibleText } from "../../platform/input/setting-rules.js";
import { exampleSecret, setting } from "./setting.js";

export const monitoring = {
  METRICS_TOKEN: setting(
    {
      example: exampleSecret,
      unset: "none",
      description: "The Bearer token that `/metrics` asks for.",
    },
    visibleText,
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: setting(
    {
      example: "http://collector:4318",
      unset: "off",
      description:
        "The OpenTelemetry collector to which traces are sent, as JSON over HTTP. The SDK itself reads `OTEL_EXPORTER_OTLP_HEADERS`, `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES`.",
    },
    baseUrl,
  ),
  OTEL_TRACES_SAMPLER_ARG: setting(
    {
      example: "0.1",
      description: "The share of the traces beginning here that are recorded, from 0 to 1.",
    },
    z
      .string()
      .regex(/^(?:0?\.\d{1,9}|[01](?:\.0*)?)$/, "must be a number from 0 to 1")
      .transform(Number)
      .default(1),
  ),
  LOG_LEVEL: setting(
    {
      example: "warn",
      description: "Logs are JSON lines on standard output, after the startup banner.",
    },
    oneOf(
      ["trace", "debug", "info", "warn", "error", "fatal", "silent"],
      "must be a log level of pino",
    ).default("info"),
  ),
};

import { oneOf, onOrOff } from "../../platform/input/setting-rules.js";
import { setting } from "./setting.js";

export const demo = {
  SEED: setting(
    {
      example: "none",
      unset: "`demo` if embedded",
      description: "`demo` fills an empty database with the demo fleet.",
    },
    oneOf(["demo", "none"], "must be demo or none"),
  ),
  DEMO_LIVE: setting(
    {
      example: "off",
      description:
        "Whether the embedded demo raises alerts. Its newest 2,000 are kept, and nobody is notified of them.",
    },
    onOrOff.default("on"),
  ),
};

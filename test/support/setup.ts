import "reflect-metadata";
import { afterAll, expect } from "vitest";
import { takeLeaks } from "./log-scan.js";

// After the hooks of the file itself, which close its gateways.
afterAll(() => expect(takeLeaks(), "logged lines with secrets or personal data").toEqual([]));

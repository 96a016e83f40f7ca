import { z } from "zod";
import { isTimeZone } from "../time.js";

export const timeZoneId = z
  .string()
  .max(100, { error: "must have at most 100 characters", abort: true })
  .refine(isTimeZone, "must be a time zone such as Europe/Istanbul");

export const timeOfDay = z
  .string()
  .regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, "must be a time from 00:00 to 23:59");

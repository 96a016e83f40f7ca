// Needs no gateway.
import { Formats } from "../../src/console/language/formats.js";
import { english } from "../../src/console/rules/english.js";
import { german } from "../../src/console/rules/german.js";
import { hoursOf, scheduleInWords, timeRangeOf } from "../../src/console/rules/schedule.js";

const inEnglish = { formats: new Formats("en-GB"), rules: english };
const inGerman = { formats: new Formats("de-DE"), rules: german };

it("days and hours are said in words", () => {
  const night = { from: "22:00", to: "06:00" };
  expect(scheduleInWords([1, 2, 3, 4, 5], night, inEnglish)).toBe("Mon–Fri, 22:00–06:00 the next day");
  expect(scheduleInWords([1, 2, 3, 4, 5], night, inGerman)).toBe("Mo–Fr, 22:00–06:00 am nächsten Tag");
  const day = { from: "08:00", to: "17:30" };
  expect(scheduleInWords([0, 2, 4, 5, 6], day, inEnglish)).toBe("Tue, Thu–Sun, 08:00–17:30");
  expect(scheduleInWords([0, 6], undefined, inEnglish)).toBe("Sat, Sun, all day");
  expect(scheduleInWords([0, 1, 2, 3, 4, 5, 6], undefined, inGerman)).toBe("Jeden Tag, ganztägig");
  expect(scheduleInWords([3], { from: "09:00", to: "09:00" }, inEnglish)).toBe("Wed, all day");
  expect(scheduleInWords([], night, inEnglish)).toBe("Never");
});

it("hours are read as they were chosen, in each zone and also on days on which clocks change", () => {
  const zones = Intl.supportedValuesOf("timeZone");
  // Clocks changed in Berlin, New York, Lord Howe and Cairo on these days.
  for (const day of ["2026-03-29", "2026-03-08", "2026-10-04", "2026-04-24", "2026-10-25"])
    for (const timeZone of zones)
      for (const hours of [
        { from: "00:00", to: "02:30" },
        { from: "22:15", to: "06:45" },
      ]) {
        const timeRange = timeRangeOf(hours, timeZone, new Date(`${day}T12:00:00Z`));
        expect(hoursOf(timeRange, timeZone), `${timeZone} ${day}`).toEqual(hours);
      }
});

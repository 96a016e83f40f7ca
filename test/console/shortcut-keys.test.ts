// Needs no gateway.
import { keyIn } from "../../src/console/keyboard/pressed-key.js";

test("keys have the same names on other keyboards and with CapsLock", () => {
  const named = (key: string, code: string, shiftKey = false) => keyIn({ key, code, shiftKey });
  expect(named("\u0444", "KeyA")).toBe("a");
  expect(named("\u03b1", "KeyA")).toBe("a");
  expect(named("A", "KeyA")).toBe("a");
  expect(named("a", "KeyA", true)).toBe("A");
  // A French keyboard has its own A at the place of Q.
  expect(named("a", "KeyQ")).toBe("a");
  expect(named("\u00f6", "Semicolon")).toBe("\u00f6");
  expect(named("?", "Slash", true)).toBe("?");
  expect(named("Escape", "Escape")).toBe("Escape");
  expect(named(" ", "Space")).toBe("Space");
});

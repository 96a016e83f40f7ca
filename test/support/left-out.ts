import type { Reporter } from "vitest/node";

/** Says below the summary of a run what it left out, and how to run it. */
export class LeftOut implements Reporter {
  constructor(private readonly parts: string[]) {}

  onTestRunEnd(): void {
    if (this.parts.length > 0)
      console.log(`Left out:\n${this.parts.map((part) => `  - ${part}\n`).join("")}`);
  }
}

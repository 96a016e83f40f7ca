/** The errors that nobody handles while the tests of a file run: each would end a process. */
export function uncaughtErrors(): readonly unknown[] {
  const errors: unknown[] = [];
  const note = (error: unknown) => void errors.push(error);
  beforeAll(() => void process.on("uncaughtException", note).on("unhandledRejection", note));
  afterAll(() => void process.off("uncaughtException", note).off("unhandledRejection", note));
  return errors;
}

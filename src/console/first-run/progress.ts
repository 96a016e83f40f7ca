import { localTexts } from "../storage.js";

const storageKey = "console.first-run";
const left = "left";

/** No longer shows the steps in this browser. */
export const leaveFirstRun = (): void => void localTexts.setItem(storageKey, left);

/** Whether the reader has left the steps in this browser, or none was left to take. */
export const hasLeftFirstRun = (): boolean => localTexts.getItem(storageKey) === left;

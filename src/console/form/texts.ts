import { translated } from "../language/language.js";
import { english } from "./english.js";
import { german } from "./german.js";

export const useTexts = translated(english, german);

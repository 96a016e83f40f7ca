import {
  createContext,
  type ReactNode,
  use,
  useEffect,
  useMemo,
  useState,
  useSyncExternalStore,
} from "react";
import { hasKey } from "../../platform/record.js";
import type { LanguageCode } from "../../platform/text/language.js";
import { withoutDirectionControls } from "../../platform/text/text-direction.js";
import { onServerTimeChange, serverTime } from "../data/server-time.js";
import { Listeners } from "../listeners.js";
import { localTexts } from "../storage.js";
import type { Messages } from "./en.js";
import { Formats } from "./formats.js";
import { Words } from "./words.js";

/** The available languages. The catalogue of each is loaded when it is chosen, so that readers wait for one only. */
export const languages = {
  en: { name: "English", load: () => import("./en.js").then(({ en }) => en) },
  de: { name: "Deutsch", load: () => import("./de.js").then(({ de }) => de) },
} satisfies Record<LanguageCode, object>;

interface LoadedLanguage {
  code: LanguageCode;
  messages: Messages;
}

interface LanguageContext extends LoadedLanguage {
  choose: (code: LanguageCode) => void;
  /** Whether the language that was chosen last could not be loaded. */
  isMissing: boolean;
  formats: Formats;
  words: Words;
}

const storageKey = "console.language";
const isLanguage = (code: unknown): code is LanguageCode => hasKey(languages, code);

/** The language that was chosen in this browser, or the first available one that the browser requests, or English. */
function initialLanguage() {
  const chosen = localTexts.getItem(storageKey);
  if (isLanguage(chosen)) return chosen;
  return navigator.languages.map((tag) => tag.split("-")[0]).find(isLanguage) ?? "en";
}

/**
 * The reader's own variant of the language, such as en-GB, for numbers and dates. Some systems have a name for it that
 * no browser can parse, such as en-US@posix.
 */
const localeOf = (code: LanguageCode) =>
  navigator.languages.find((tag) => tag.split("-")[0] === code && isLocale(tag)) ?? code;

function isLocale(tag: string) {
  try {
    return Intl.getCanonicalLocales(tag).length > 0;
  } catch {
    return false;
  }
}

const loadLanguage = async (code: LanguageCode): Promise<LoadedLanguage> => ({
  code,
  messages: await languages[code].load(),
});

/**
 * The initial language, or English if it cannot be loaded. Loading starts before anything is shown. Pages wait for it
 * before they replace the gateway's text, which says what to do if nothing can be loaded.
 */
export const firstLanguage = loadLanguage(initialLanguage()).catch(() => loadLanguage("en"));

const Context = createContext<LanguageContext | undefined>(undefined);

export function LanguageProvider({ children }: { children: ReactNode }) {
  const [{ code, messages }, setLanguage] = useState(use(firstLanguage));
  const [isMissing, setMissing] = useState(false);
  const context = useMemo<LanguageContext>(() => {
    const load = () => {
      const chosen = initialLanguage();
      loadLanguage(chosen).then(
        (loaded) => {
          setLanguage(loaded);
          setMissing(false);
        },
        () => setMissing(true),
      );
    };
    return {
      code,
      choose: (chosen) => {
        // The choice is kept even if loading fails: then reloading the page tries again.
        localTexts.setItem(storageKey, chosen);
        if (navigator.onLine) return load();
        setMissing(true);
        // Some browsers do not repeat a failed load of a script, so it must not start without a network.
        window.addEventListener("online", load, { once: true });
      },
      isMissing,
      messages,
      formats: new Formats(localeOf(code)),
      words: new Words(messages),
    };
  }, [code, messages, isMissing]);
  useEffect(() => translatePage(code, messages), [code, messages]);
  return <Context value={context}>{children}</Context>;
}

/** The reader's language: `messages` are its texts, `formats` is for dates and numbers, `words` names API codes. */
export function useLanguage(): LanguageContext {
  const context = use(Context);
  if (!context) throw new Error("There is no LanguageProvider above this component");
  return context;
}

/** A hook for the texts of a part of the console in the reader's language, which are loaded with the part. */
export const translated = <Texts,>(en: Texts, de: Texts) =>
  function useTexts(): Texts {
    return { en, de }[useLanguage().code];
  };

/** The texts in the reader's language, or in the initial one if no language is set up. */
export const useMessages = (): Messages => (use(Context) ?? use(firstLanguage)).messages;

/** Translates the parts of the page that the gateway wrote. */
function translatePage(code: LanguageCode, messages: Messages) {
  document.documentElement.lang = code;
  for (const element of document.querySelectorAll<HTMLElement>("[data-text]"))
    element.textContent = messages.pages[element.dataset.text ?? ""] ?? element.textContent;
  for (const element of document.querySelectorAll<HTMLElement>("[data-label]"))
    element.ariaLabel = messages.pages[element.dataset.label ?? ""] ?? element.ariaLabel;
}

/**
 * A text that a person or a detector stored, such as a name, with its direction isolated from the text around it. Show
 * every stored text with this component; in attributes and in sentences of the catalogue, use `isolated`.
 */
export function StoredText({ children }: { children: string | null | undefined }) {
  return children && <bdi>{withoutDirectionControls(children)}</bdi>;
}

const interval = 15_000;
const listeners = new Listeners();
let now = new Date(serverTime());
let stop: (() => void) | undefined;

function tick() {
  now = new Date(serverTime());
  listeners.notify();
}

/** One timer serves all components that show the time. */
function start() {
  const timer = setInterval(tick, interval);
  const ignoreServer = onServerTimeChange(tick);
  // Timers of a hidden page sleep.
  document.addEventListener("visibilitychange", tick);
  return () => {
    clearInterval(timer);
    ignoreServer();
    document.removeEventListener("visibilitychange", tick);
  };
}

function subscribe(listener: () => void) {
  const remove = listeners.add(listener);
  stop ??= start();
  return () => {
    remove();
    if (!listeners.isEmpty) return;
    stop?.();
    stop = undefined;
  };
}

/** The gateway's time, at most a quarter of a minute old. */
export function useNow(): Date {
  return useSyncExternalStore(subscribe, () => now);
}

/** The end of the current step of the gateway's time, such as an hour, in milliseconds since 1970. */
export function useStepOfTime(milliseconds: number): number {
  return useSyncExternalStore(subscribe, () => Math.floor(now.getTime() / milliseconds + 1) * milliseconds);
}

interface MomentProps {
  instant: string;
  /** The zone of the facility where it happened. */
  timeZone?: string;
  /**
   * Shows how long ago that was, beside the moment or alone, or the time of day as in lists. The tooltip has the whole
   * moment.
   */
  form?: "exact" | "both" | "relative" | "listed";
}

/** An instant by the reader's clock, with the local time of the facility where that differs. */
export function Moment({ instant, timeZone, form = "exact" }: MomentProps) {
  const { formats } = useLanguage();
  const now = useNow();
  const exact = formats.moment(instant, timeZone);
  const relative = formats.relative(instant, now);
  if (form === "exact" || form === "both")
    return <time dateTime={instant}>{form === "both" ? `${exact} · ${relative}` : exact}</time>;
  return (
    <time dateTime={instant} title={exact} data-exact={exact}>
      {form === "relative" ? relative : formats.listed(instant, now, timeZone)}
    </time>
  );
}

/** Says that days and hours go by the clock of each facility, and names its zone where that is not the reader's. */
export function useFacilityClock(timeZones: readonly string[]): { words: string; zones: string } {
  const { messages, formats } = useLanguage();
  const zones = formats.otherZones(useNow(), timeZones);
  return { words: messages.facilityClock(zones), zones };
}

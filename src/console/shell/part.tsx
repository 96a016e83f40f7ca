import {
  Component,
  type ComponentType,
  type LazyExoticComponent,
  lazy,
  type ReactNode,
  Suspense,
  useSyncExternalStore,
} from "react";
import { FailureKindNotice } from "../data/query.js";
import { tryAgainLater, tryAgainNow } from "../data/recovery.js";
import { useLanguage, useMessages } from "../language/language.js";
import { Listeners } from "../listeners.js";
import { localTexts, sessionTexts } from "../storage.js";
import { WarningIcon } from "./icons.js";
import { Notice } from "./notice/notice.js";

/** A part of the console is gone: the gateway has another version of the console. */
class PartOutdatedError extends Error {
  override readonly name = "PartOutdatedError";
}

const listeners = new Listeners();
/** The number of parts that wait until the gateway is reachable. */
let waitingParts = 0;

function changeWaiting(by: number) {
  waitingParts += by;
  listeners.notify();
}

/** A component of a module that is loaded on first use. Shows {@link PartLoading} meanwhile. */
export const part = <Name extends string, Props extends object>(
  load: () => Promise<{ [Each in Name]: ComponentType<Props> }>,
  name: Name,
): LazyExoticComponent<ComponentType<Props>> => lazy(async () => ({ default: (await loaded(load))[name] }));

/** The result of a loading function, as soon as the gateway is reachable. */
async function loaded<Loaded>(load: () => Promise<Loaded>) {
  // Some browsers do not repeat a failed load of a script, so it must not start without a network.
  if (!navigator.onLine) await reachable();
  try {
    return await load();
  } catch {
    // The load may have failed because the gateway is away, or no longer is.
    await reachable();
    return load();
  }
}

/** Waits until the gateway is reachable. Throws if it has another version of the console. */
async function reachable() {
  let page = await currentPage();
  if (page === undefined) {
    changeWaiting(1);
    while (page === undefined) {
      await new Promise<void>((resolve) => tryAgainLater(resolve));
      page = await currentPage();
    }
    changeWaiting(-1);
  }
  const script = document.querySelector("script[type=module][src]")?.getAttribute("src");
  if (script && !page.includes(script))
    throw new PartOutdatedError("The gateway has another version of the console");
}

/** The gateway's current page; undefined if the gateway does not answer. */
async function currentPage() {
  try {
    const response = await fetch("/", {
      cache: "no-store",
      credentials: "omit",
      signal: AbortSignal.timeout(10_000),
    });
    return response.ok ? await response.text() : undefined;
  } catch {
    return undefined;
  }
}

/** Replaces a part while it is loaded. If the gateway is unreachable, says that the console keeps trying. */
function PartLoading() {
  const messages = useMessages();
  const isWaiting = useSyncExternalStore(listeners.add, () => waitingParts > 0);
  return isWaiting ? (
    <FailureKindNotice kind="unreachable" onRetry={tryAgainNow} />
  ) : (
    <p className="loading">{messages.common.loading}</p>
  );
}

interface ErrorBoundaryProps {
  /** Shown in place of the failed content. */
  fallback: (error: unknown) => ReactNode;
  children: ReactNode;
}

/** Keeps content that fails to render from breaking the content around it. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, { failure?: { error: unknown } }> {
  override state: { failure?: { error: unknown } } = {};

  static getDerivedStateFromError(error: unknown) {
    return { failure: { error } };
  }

  override render() {
    const { failure } = this.state;
    return failure ? this.props.fallback(failure.error) : this.props.children;
  }
}

/** If the console cannot be rendered at all, shows a page with a way out. */
export const PageBoundary = ({ children }: { children: ReactNode }) => (
  <ErrorBoundary fallback={() => <BrokenPage />}>{children}</ErrorBoundary>
);

function BrokenPage() {
  const { broken, product } = useMessages();
  const startOver = () => {
    // The kept texts may cause the failure.
    localTexts.clear();
    sessionTexts.clear();
    location.assign("/");
  };
  const actions = (
    <>
      <button type="button" className="primary" onClick={() => location.reload()}>
        {broken.reload}
      </button>
      <button type="button" onClick={startOver}>
        {broken.startOver}
      </button>
    </>
  );
  return (
    <main id="content" tabIndex={-1}>
      <h1 className="visually-hidden">{product}</h1>
      <div role="alert">
        <Notice icon={<WarningIcon />} title={broken.page.title} actions={actions}>
          {broken.page.text}
        </Notice>
      </div>
    </main>
  );
}

interface ViewBoundaryProps {
  /** Shown while the view is loaded. */
  placeholder?: ReactNode;
  children: ReactNode;
}

/** Loads a view. If the view fails to load or to render, the rest of the page stays. Give each view another `key`. */
export function ViewBoundary({ placeholder = <PartLoading />, children }: ViewBoundaryProps) {
  return (
    <ErrorBoundary fallback={(error) => <BrokenView isOutdated={error instanceof PartOutdatedError} />}>
      <Suspense fallback={placeholder}>{children}</Suspense>
    </ErrorBoundary>
  );
}

function BrokenView({ isOutdated }: { isOutdated: boolean }) {
  const { broken } = useLanguage().messages;
  const { title, text } = isOutdated ? broken.updated : broken.part;
  const reload = (
    <button type="button" className="primary" onClick={() => location.reload()}>
      {broken.reload}
    </button>
  );
  return (
    <div role="alert">
      <Notice icon={<WarningIcon />} title={title} actions={reload}>
        {text}
      </Notice>
    </div>
  );
}

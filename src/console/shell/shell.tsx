import "./shell.css";
import "./clock-notice.css";
import { Suspense, useEffect, useState, useSyncExternalStore } from "react";
import { useQuery, useSubscription } from "urql";
import {
  HeartbeatsOfFacilitiesDocument,
  StatusOfCamerasDocument,
  ViewerDocument,
} from "../../generated/console.js";
import { useConnection } from "../data/connection.js";
import { onServerTimeChange, serverLead } from "../data/server-time.js";
import { command, useShortcuts } from "../keyboard/shortcuts.js";
import { useLanguage } from "../language/language.js";
import { addressOf, changeQuery, Link, navigate, useAddress } from "../navigation/location.js";
import type { Credentials } from "../session/credentials.js";
import { ViewerContext } from "../viewer/viewer.js";
import { pageOf, pages, parametersOfView, views } from "../views.js";
import { ErrorBoundary, ViewBoundary } from "./boundaries.js";
import { ConsoleAccount } from "./console-account.js";
import { Dialog } from "./dialog.js";
import { Notice } from "./notice.js";
import { setPageTitle } from "./page-title.js";
import { part } from "./part.js";

const ShortcutList = part(async () => (await import("../keyboard/shortcut-list.js")).ShortcutList);
const Palette = part(async () => (await import("../palette/palette.js")).Palette);
const NewAlerts = part(async () => (await import("../new-alerts/new-alerts.js")).NewAlerts);
const ApiCalls = part(async () => (await import("../api-calls/api-calls.js")).ApiCalls);

/**
 * The frame of every view: navigation, the state of the connection, the account, and
 * keyboard shortcuts.
 */
export function Shell({ credentials }: { credentials: Credentials }) {
  const { messages } = useLanguage();
  const [{ data }] = useQuery({ query: ViewerDocument });
  // These subscriptions update cameras and facilities in all views, and keep the
  // connection open.
  useSubscription({ query: StatusOfCamerasDocument });
  useSubscription({ query: HeartbeatsOfFacilitiesDocument });
  const address = useAddress();
  const current = pageOf(address);
  useEffect(() => {
    // Without its last filter, the address would be that of the first view.
    if (current === "fleet" && !address.has("view")) changeQuery({ view: current }, { replace: true });
  }, [current, address]);
  const [showsKeys, setShowsKeys] = useState(false);
  const [showsApiCalls, setShowsApiCalls] = useState(false);
  const [showsPalette, setShowsPalette] = useState(false);
  const [isSavingView, setSavingView] = useState(false);
  useShortcuts(messages.keys.everywhere, [
    { keys: command("K"), label: messages.palette, run: () => setShowsPalette(true) },
    { keys: "?", label: messages.keys.show, run: () => setShowsKeys(true) },
    { keys: "q", label: messages.apiCalls.show, run: () => setShowsApiCalls(true) },
    ...Object.entries(views).map(([name, { key, title }]) => ({
      keys: `g ${key}`,
      label: messages.keys.goTo(title(messages)),
      run: () => navigate(addressOf(parametersOfView(name))),
    })),
  ]);
  const page = Object.hasOwn(pages, current) ? pages[current] : undefined;
  useEffect(() => {
    setPageTitle(`${page ? `${page.title(messages)} · ` : ""}${messages.product}`);
  }, [page, messages]);
  return (
    <ViewerContext value={data?.workspace}>
      <ConsoleAccount
        credentials={credentials}
        onShowKeys={() => setShowsKeys(true)}
        onShowApiCalls={() => setShowsApiCalls(true)}
        onShowPalette={() => setShowsPalette(true)}
        isSavingView={isSavingView}
        onSavingViewChange={setSavingView}
      />
      <div className="shell">
        <Navigation current={current} />
        <main id="content" tabIndex={-1}>
          <ConnectionBanner />
          <ClockNotice />
          {!page?.hasHeading && (
            <h1 className={page ? undefined : "visually-hidden"}>
              {page ? page.title(messages) : messages.product}
            </h1>
          )}
          {page ? (
            <ViewBoundary key={current}>
              <page.component />
            </ViewBoundary>
          ) : (
            <Notice title={messages.notFound.title} actions={<Link to={{}}>{messages.notFound.home}</Link>}>
              {messages.notFound.text}
            </Notice>
          )}
        </main>
      </div>
      <ErrorBoundary fallback={() => null}>
        <Suspense>
          <NewAlerts />
        </Suspense>
      </ErrorBoundary>
      {showsPalette && (
        <Dialog title={messages.palette} onClose={() => setShowsPalette(false)}>
          <ViewBoundary>
            <Palette
              isUser={credentials.kind === "token"}
              onSaveView={() => setSavingView(true)}
              onShowKeys={() => setShowsKeys(true)}
              onShowApiCalls={() => setShowsApiCalls(true)}
            />
          </ViewBoundary>
        </Dialog>
      )}
      {showsKeys && (
        <Dialog title={messages.keys.title} onClose={() => setShowsKeys(false)}>
          <ViewBoundary>
            <ShortcutList />
          </ViewBoundary>
        </Dialog>
      )}
      {showsApiCalls && (
        <Dialog title={messages.apiCalls.title} onClose={() => setShowsApiCalls(false)}>
          <ViewBoundary>
            <ApiCalls />
          </ViewBoundary>
        </Dialog>
      )}
    </ViewerContext>
  );
}

function Navigation({ current }: { current: string }) {
  const { messages } = useLanguage();
  return (
    <nav className="views" aria-label={messages.views.label}>
      {Object.entries(views).map(([name, { title, icon: Icon }]) => (
        <Link key={name} to={parametersOfView(name)} aria-current={name === current ? "page" : undefined}>
          <Icon />
          <span>{title(messages)}</span>
        </Link>
      ))}
    </nav>
  );
}

function ConnectionBanner() {
  const { messages } = useLanguage();
  const connection = useConnection();
  return (
    <p className="connection floating-bar" data-state={connection} role="status">
      {connection !== "connected" && messages.connection[connection]}
    </p>
  );
}

/** The maximum error of a clock that goes unmentioned, in milliseconds. */
const unnoticed = 60_000;

/**
 * Says that this computer's clock differs from the gateway's. All times and periods in
 * the console follow the gateway's.
 */
function ClockNotice() {
  const { messages, formats } = useLanguage();
  const lead = useSyncExternalStore(onServerTimeChange, serverLead);
  if (Math.abs(lead) < unnoticed) return null;
  const distance = formats.duration(Math.abs(lead));
  return (
    <p className="clock-notice" role="status">
      {lead > 0 ? messages.clock.behind(distance) : messages.clock.ahead(distance)}
    </p>
  );
}

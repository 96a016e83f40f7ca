import "./shell.css";
import "./notice/clock-notice.css";
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
import { useLanguage, useMessages } from "../language/language.js";
import { addressOf, changeQuery, Link, navigate, useAddress } from "../navigation/location.js";
import { SavedViewsButton, showSavedViews } from "../saved-views/saved-views-button.js";
import { useUser } from "../viewer/user.js";
import { useWorkspace, ViewerContext } from "../viewer/viewer.js";
import { pageOf, pages, parametersOfView, views } from "../views.js";
import { AccountMenu } from "./account/account-menu.js";
import { Dialog } from "./dialog.js";
import { CodeIcon, MoreIcon, SearchIcon } from "./icons.js";
import { Menu } from "./menu.js";
import { Notice } from "./notice/notice.js";
import { setPageTitle } from "./page-title.js";
import { ErrorBoundary, part, ViewBoundary } from "./part.js";

const ShortcutList = part(() => import("../keyboard/shortcut-list.js"), "ShortcutList");
const Palette = part(() => import("../palette/palette.js"), "Palette");
const NewAlerts = part(() => import("../new-alerts/new-alerts.js"), "NewAlerts");
const ApiCalls = part(() => import("../api-calls/api-calls.js"), "ApiCalls");

/** The frame of every view: navigation, the state of the connection, the account, and keyboard shortcuts. */
export function Shell() {
  const messages = useMessages();
  const [{ data }] = useQuery({ query: ViewerDocument });
  // These subscriptions update cameras and facilities in all views, and keep the connection open.
  useSubscription({ query: StatusOfCamerasDocument });
  useSubscription({ query: HeartbeatsOfFacilitiesDocument });
  const address = useAddress();
  const current = pageOf(address);
  useEffect(() => {
    // Without its last filter, the address would be that of the first view.
    if (current === "fleet" && !address.has("view")) changeQuery({ view: current }, { replace: true });
  }, [current, address]);
  const [shown, show] = useState<"palette" | "keys" | "apiCalls">();
  const titles = {
    palette: messages.palette,
    keys: messages.keys.title,
    apiCalls: messages.apiCalls.title,
  };
  const opened = {
    onShowPalette: () => show("palette"),
    onShowKeys: () => show("keys"),
    onShowApiCalls: () => show("apiCalls"),
  };
  const [isSavingView, setSavingView] = useState(false);
  useShortcuts(messages.keys.everywhere, [
    { keys: command("K"), label: messages.palette, run: opened.onShowPalette },
    { keys: "?", label: messages.keys.show, run: opened.onShowKeys },
    { keys: "q", label: messages.apiCalls.show, run: opened.onShowApiCalls },
    ...Object.entries(views).map(([name, { key, title }]) => ({
      keys: `g ${key}`,
      label: messages.keys.goTo(messages.views[title]),
      run: () => navigate(addressOf(parametersOfView(name))),
    })),
  ]);
  const page = Object.hasOwn(pages, current) ? pages[current] : undefined;
  useEffect(() => {
    setPageTitle(`${page ? `${messages.views[page.title]} · ` : ""}${messages.product}`);
  }, [page, messages]);
  return (
    <ViewerContext value={data?.workspace}>
      <ConsoleAccount {...opened} isSavingView={isSavingView} onSavingViewChange={setSavingView} />
      <div className="shell">
        <Navigation current={current} />
        <main id="content" tabIndex={-1}>
          <ConnectionBanner />
          <ClockNotice />
          {!page?.hasHeading && (
            <h1 className={page ? undefined : "visually-hidden"}>
              {page ? messages.views[page.title] : messages.product}
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
      {shown && (
        <Dialog
          key={shown}
          title={titles[shown]}
          onClose={() => show((still) => (still === shown ? undefined : still))}
        >
          <ViewBoundary>
            {shown === "palette" && <Palette onSaveView={() => setSavingView(true)} {...opened} />}
            {shown === "keys" && <ShortcutList />}
            {shown === "apiCalls" && <ApiCalls />}
          </ViewBoundary>
        </Dialog>
      )}
    </ViewerContext>
  );
}

function Navigation({ current }: { current: string }) {
  const messages = useMessages();
  const link = ([name, { title, icon: Icon, isAmongOthers }]: [string, (typeof views)[string]]) => (
    <Link
      key={name}
      className={isAmongOthers ? "view-among-others" : undefined}
      to={parametersOfView(name)}
      aria-current={name === current ? "page" : undefined}
    >
      <Icon />
      <span>{messages.views[title]}</span>
    </Link>
  );
  const all = Object.entries(views);
  return (
    <nav className="views" aria-label={messages.views.label}>
      {all.map(link)}
      <Menu
        label={
          <>
            <MoreIcon />
            <span>{messages.common.more}</span>
          </>
        }
      >
        {all.filter(([, { isAmongOthers }]) => isAmongOthers).map(link)}
      </Menu>
    </nav>
  );
}

function ConnectionBanner() {
  const messages = useMessages();
  const connection = useConnection();
  return (
    <p className="connection floating-bar" data-state={connection} role="status">
      {connection !== "connected" && messages.connection[connection]}
    </p>
  );
}

/** The maximum error of a clock that goes unmentioned, in milliseconds. */
const unnoticed = 60_000;

/** Says that this computer's clock differs from the gateway's, which all times and periods in the console follow. */
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

interface ConsoleAccountProps {
  onShowKeys: () => void;
  onShowApiCalls: () => void;
  onShowPalette: () => void;
  isSavingView: boolean;
  onSavingViewChange: (isSaving: boolean) => void;
}

/**
 * The account in the header of the console with its keyboard shortcuts, and beside it the search for everything, the
 * saved views, and the API calls of the view.
 */
function ConsoleAccount({
  onShowKeys,
  onShowApiCalls,
  onShowPalette,
  isSavingView,
  onSavingViewChange,
}: ConsoleAccountProps) {
  const messages = useMessages();
  const { isUser, user } = useUser();
  return (
    <AccountMenu
      name={isUser ? (user?.fullName ?? user?.email) : messages.account.key}
      workspace={useWorkspace()?.name}
      beside={
        <>
          <button
            type="button"
            className="icon-button palette-button"
            aria-label={messages.palette}
            title={`${messages.palette} (${command("K")})`}
            onClick={onShowPalette}
          >
            <SearchIcon />
          </button>
          {isUser && <SavedViewsButton isSaving={isSavingView} onSavingChange={onSavingViewChange} />}
          <button
            type="button"
            className="icon-button wide-window"
            aria-label={messages.apiCalls.show}
            title={messages.apiCalls.show}
            onClick={onShowApiCalls}
          >
            <CodeIcon />
          </button>
        </>
      }
    >
      <button type="button" popoverTarget="account" popoverTargetAction="hide" onClick={onShowPalette}>
        {messages.palette} <kbd>{command("K")}</kbd>
      </button>
      {isUser && (
        <Link className="button" to={{ view: "settings", part: "profile" }}>
          {messages.settings.profile}
        </Link>
      )}
      {isUser && (
        <button type="button" className="narrow-window" onClick={showSavedViews}>
          {messages.savedViews}
        </button>
      )}
      <button type="button" popoverTarget="account" popoverTargetAction="hide" onClick={onShowApiCalls}>
        {messages.apiCalls.show} <kbd>q</kbd>
      </button>
      <button type="button" popoverTarget="account" popoverTargetAction="hide" onClick={onShowKeys}>
        {messages.keys.title} <kbd>?</kbd>
      </button>
    </AccountMenu>
  );
}

import { keysOf } from "../../platform/record.js";
import { languages, useLanguage } from "../language/language.js";
import { useAddress } from "../navigation/location.js";
import { pagePaths } from "../navigation/page-to-return-to.js";
import { savableQuery } from "../saved-views/saved-query.js";
import { useTexts as useSavedViewTexts } from "../saved-views/texts.js";
import { signOut } from "../session/session.js";
import { AccountIcon, AlertIcon, CodeIcon, SavedViewsIcon, SettingsIcon } from "../shell/icons.js";
import { chooseTheme, themes, useTheme } from "../shell/theme.js";
import { AddIcon, NextIcon } from "../shell/view-icons.js";
import { useMay } from "../viewer/viewer.js";
import type { Entry } from "./entries.js";
import { useTexts } from "./texts.js";

/** What the frame of the console does for the palette. */
export interface FrameActions {
  onSaveView: () => void;
  onShowKeys: () => void;
  onShowApiCalls: () => void;
}

interface Facility {
  id: string;
  name: string;
  viewerPermissions: readonly string[];
}

export function useActions(
  facilities: readonly Facility[],
  isUser: boolean,
  { onSaveView, onShowKeys, onShowApiCalls }: FrameActions,
): Entry[] {
  const { code, choose, messages } = useLanguage();
  const texts = useTexts();
  const { adding, settings } = messages;
  const savedViews = useSavedViewTexts();
  const address = useAddress();
  const theme = useTheme();
  const writable = facilities.filter(({ viewerPermissions }) => viewerPermissions.includes("cameras:write"));
  // The one that the reader sees, or else the first.
  const nearest = writable.find(({ id }) => address.getAll("facility").includes(id)) ?? writable[0];
  const someMay = (permission: string) =>
    facilities.some(({ viewerPermissions }) => viewerPermissions.includes(permission));
  const mayAddFacility = useMay("facilities:write");
  const mayReadUsers = useMay("users:read");
  const mayInvite = useMay("users:write") && mayReadUsers;
  const mayAddKey = useMay("api-keys:write");
  const when = (condition: boolean, ...entries: Entry[]) => (condition ? entries : []);
  const inSettings = { view: "settings" };
  return [
    ...when(someMay("alerts:write"), {
      key: "review",
      title: texts.review,
      icon: AlertIcon,
      to: { view: "alerts", open: "true", review: "on" },
    }),
    ...when(someMay("alert-rules:write"), {
      key: "snooze",
      title: texts.snooze,
      icon: AlertIcon,
      to: { view: "fleet", add: "snooze" },
    }),
    ...when(isUser && savableQuery(address) !== undefined, {
      key: "save view",
      title: savedViews.save,
      icon: SavedViewsIcon,
      run: onSaveView,
    }),
    ...when(mayAddFacility, {
      key: "add facility",
      title: adding.facility,
      icon: AddIcon,
      to: { ...inSettings, add: "facility" },
    }),
    ...writable.map(
      (facility): Entry => ({
        key: `add camera ${facility.id}`,
        title: adding.camera,
        hint: facility.name,
        icon: AddIcon,
        isHidden: facility !== nearest,
        to: { ...inSettings, facility: facility.id, add: "camera" },
      }),
    ),
    ...when(writable.length > 0, {
      key: "import cameras",
      title: adding.cameras,
      icon: AddIcon,
      to: { ...inSettings, import: "cameras" },
    }),
    ...when(mayInvite, {
      key: "invite person",
      title: adding.person,
      icon: AddIcon,
      to: { ...inSettings, part: "people", add: "person" },
    }),
    ...when(mayAddKey, {
      key: "add key",
      title: adding.key,
      hint: settings.keys,
      icon: AddIcon,
      to: { ...inSettings, part: "keys", add: "key" },
    }),
    ...keysOf(languages)
      .filter((each) => each !== code)
      .map(
        (each): Entry => ({
          key: `language ${each}`,
          title: `${messages.account.language}: ${languages[each].name}`,
          icon: SettingsIcon,
          run: () => choose(each),
        }),
      ),
    ...themes
      .filter((each) => each !== theme)
      .map(
        (each): Entry => ({
          key: `theme ${each}`,
          title: `${messages.account.theme}: ${messages.account.themes[each]}`,
          icon: SettingsIcon,
          run: () => chooseTheme(each),
        }),
      ),
    { key: "keys", title: messages.keys.title, icon: NextIcon, run: onShowKeys },
    { key: "api calls", title: messages.apiCalls.show, icon: CodeIcon, run: onShowApiCalls },
    { key: "playground", title: texts.playground, icon: NextIcon, page: pagePaths.playground },
    { key: "docs", title: texts.docs, icon: NextIcon, page: pagePaths.docs },
    { key: "sign out", title: messages.account.signOut, icon: AccountIcon, run: signOut },
  ];
}

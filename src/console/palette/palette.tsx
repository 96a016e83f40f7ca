import "./palette.css";
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from "react";
import { useQuery } from "urql";
import {
  type PaletteCameraFragment,
  PaletteFacilitiesDocument,
  PaletteRecentDocument,
  SavedViewsDocument,
} from "../../generated/console.js";
import { memberIn } from "../../platform/record.js";
import { firstPart, useOfferedParts } from "../administration/offered-parts.js";
import { failureKindOf } from "../data/failure.js";
import { command, commandIn } from "../keyboard/shortcuts.js";
import { StoredText, useLanguage } from "../language/language.js";
import { addressOf, navigate } from "../navigation/location.js";
import { parametersOfSavedQuery } from "../saved-views/saved-query.js";
import {
  AccountIcon,
  AlertIcon,
  FleetIcon,
  RulesIcon,
  SavedViewsIcon,
  SearchIcon,
  SettingsIcon,
} from "../shell/icons.js";
import { CameraIcon } from "../shell/view-icons.js";
import { localTexts } from "../storage.js";
import { useUser } from "../viewer/user.js";
import { useMay } from "../viewer/viewer.js";
import { parametersOfView, views } from "../views.js";
import { type FrameActions, useActions } from "./actions.js";
import { alertSearches } from "./alert-searches.js";
import type { PaletteTexts } from "./english.js";
import { type Entry, leastText, matching, wordsOf } from "./entries.js";
import { type RuleOfCamera, useCameraSearch, useRules } from "./searches.js";
import { useTexts } from "./texts.js";

interface Group {
  name: keyof PaletteTexts["groups"];
  entries: readonly Entry[];
}

/** The maximum number of facilities and rules that are shown at once. */
const mostShown = 8;

const allCamerasKey = "all cameras";

const cameraEntry = ({ id, nodeId, name, facility }: PaletteCameraFragment): Entry => ({
  key: `camera ${nodeId}`,
  title: name,
  hint: facility.name,
  icon: CameraIcon,
  to: { camera: id },
});

const ruleEntry = ({ rule, camera }: RuleOfCamera, typeInWords: string): Entry => ({
  key: `rule ${rule.nodeId}`,
  title: typeInWords,
  hint: [camera.name, ...rule.areas.map(({ name }) => name), camera.facility.name]
    .filter(Boolean)
    .join(" · "),
  icon: RulesIcon,
  to: { view: "rules", camera: camera.id },
});

/** The node IDs among the keys of entries that are not known before they are searched. */
const nodeIdsIn = (keys: readonly string[]) =>
  keys.flatMap((key) => /^(?:camera|rule) (\S+)$/.exec(key)?.[1] ?? []);

function useGroups(text: string, frame: FrameActions) {
  const { isUser } = useUser();
  const { messages, words: codes } = useLanguage();
  const texts = useTexts();
  const [facilitiesRead] = useQuery({
    query: PaletteFacilitiesDocument,
    variables: { seesPeople: useMay("users:read") },
  });
  const [saved] = useQuery({ query: SavedViewsDocument, pause: !isUser });
  const userId = saved.data?.me.id;
  const recent = recentKeys(userId);
  const nodeIds = nodeIdsIn(recent);
  const [known] = useQuery({
    query: PaletteRecentDocument,
    variables: { ids: nodeIds },
    pause: nodeIds.length === 0,
  });
  const trimmed = text.trim();
  const cameras = useCameraSearch(trimmed);
  const [hasTyped, setTyped] = useState(false);
  if (trimmed.length >= leastText && !hasTyped) setTyped(true);
  const rules = useRules(hasTyped);
  const entriesOfRules = useMemo(
    () => rules.rules.map((found) => ruleEntry(found, codes.alertType(found.rule.name))),
    [rules.rules, codes],
  );

  const viewEntries: Entry[] = [
    ...Object.entries(views).map(([name, { title, icon }]) => ({
      key: `view ${name}`,
      title: messages.views[title],
      icon,
      to: parametersOfView(name),
    })),
    ...useOfferedParts().map((name) => ({
      key: `settings ${name}`,
      title: messages.settings[name],
      hint: messages.views.settings,
      icon: SettingsIcon,
      isHidden: true,
      to: { view: "settings", ...(name !== firstPart && { part: name }) },
    })),
  ];
  const savedEntries = (saved.data?.me.savedViews ?? []).flatMap(({ id, name, query }): Entry[] => {
    const parameters = parametersOfSavedQuery(query);
    if (!parameters) return [];
    const view = views[String(parameters.view)];
    const hint = view && messages.views[view.title];
    return [{ key: `saved ${id}`, title: name, hint, icon: SavedViewsIcon, to: parameters }];
  });
  const facilities = facilitiesRead.data?.facilities ?? [];
  const facilityEntries = facilities.flatMap(({ id, name }): Entry[] => [
    {
      key: `facility ${id}`,
      title: name,
      icon: FleetIcon,
      to: { view: "fleet", facility: id },
    },
    {
      key: `alerts of facility ${id}`,
      title: name,
      hint: messages.views.alerts,
      icon: AlertIcon,
      to: { view: "alerts", facility: id },
    },
  ]);
  const people = (facilitiesRead.data?.workspace?.users ?? []).map(
    ({ id, email, fullName }): Entry => ({
      key: `person ${id}`,
      title: fullName ?? email,
      hint: email,
      icon: AccountIcon,
      to: { view: "settings", part: "people", text: email },
    }),
  );
  const actions = useActions(facilities, isUser, frame);
  const words = wordsOf(text);
  const error = facilitiesRead.error ?? saved.error ?? cameras.error ?? rules.error;
  const problem = error && texts.incomplete(messages.failures[failureKindOf(error)].title);

  if (words.length === 0) {
    const recentlySearched = (known.data?.nodes ?? []).flatMap((node): Entry[] => {
      if (node?.__typename === "Camera") return [cameraEntry(node)];
      if (node?.__typename !== "AlertRule") return [];
      return [ruleEntry({ rule: node, camera: node.camera }, codes.alertType(node.name))];
    });
    const all = [
      ...viewEntries,
      ...savedEntries,
      ...facilityEntries,
      ...people,
      ...actions,
      ...recentlySearched,
    ];
    const recentEntries = recent.flatMap((key) => all.find((entry) => entry.key === key) ?? []);
    const others = (entries: readonly Entry[]) =>
      entries.filter((entry) => !entry.isHidden && !recentEntries.includes(entry));
    const groups: Group[] = [
      { name: "recent", entries: recentEntries },
      { name: "views", entries: others(viewEntries) },
      { name: "savedViews", entries: others(savedEntries) },
      { name: "actions", entries: others(actions) },
    ];
    return { groups, moreRules: 0, isSearching: false, problem, userId };
  }

  // The gateway folds names in its own way, so what it found matches.
  const best = (entries: readonly Entry[]) => [...new Set([...match(entries), ...entries])];
  const match = (entries: readonly Entry[]) => matching(entries, words, recent);
  const ruleEntries = trimmed.length < leastText ? [] : match(entriesOfRules);
  const allCameras: Entry[] =
    cameras.totalCount > cameras.cameras.length
      ? [
          {
            key: allCamerasKey,
            title: texts.allCameras(cameras.totalCount, trimmed),
            icon: SearchIcon,
            to: { view: "fleet", text: trimmed },
          },
        ]
      : [];
  const groups: Group[] = [
    { name: "views", entries: match(viewEntries) },
    { name: "savedViews", entries: match(savedEntries) },
    { name: "facilities", entries: match(facilityEntries).slice(0, mostShown) },
    { name: "actions", entries: match(actions).slice(0, mostShown) },
    { name: "cameras", entries: [...best(cameras.cameras.map(cameraEntry)), ...allCameras] },
    { name: "rules", entries: ruleEntries.slice(0, mostShown) },
    { name: "people", entries: match(people).slice(0, mostShown) },
    { name: "alerts", entries: alertSearches(text, texts, messages) },
  ];
  const isSearching = cameras.isSearching || rules.isSearching || facilitiesRead.fetching;
  return { groups, moreRules: Math.max(0, ruleEntries.length - mostShown), isSearching, problem, userId };
}

/** The groups that have entries, each with the number of its first one in the whole list. */
function numbered(groups: readonly Group[]) {
  let next = 0;
  return groups.flatMap((group) => {
    const first = next;
    next += group.entries.length;
    return group.entries.length === 0 ? [] : [{ ...group, first }];
  });
}

/** Where an entry leads; undefined if it does something. */
function pathOf(entry: Entry) {
  if ("to" in entry) return addressOf(entry.to);
  return "page" in entry ? entry.page : undefined;
}

function follow(entry: Entry) {
  if ("run" in entry) entry.run();
  else if ("page" in entry) location.assign(entry.page);
  else {
    navigate(addressOf(entry.to));
    document.getElementById("content")?.focus({ preventScroll: true });
  }
}

/** A search over views, facilities, cameras, rules and actions: a combobox that is always open, recent ones first. */
export function Palette(frame: FrameActions) {
  const texts = useTexts();
  const id = useId();
  const [text, setText] = useState("");
  const [activeKey, setActiveKey] = useState<string>();
  const root = useRef<HTMLDivElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const { groups, moreRules, isSearching, problem, userId } = useGroups(text, frame);
  const entries = groups.flatMap((group) => group.entries);
  const shown = numbered(groups);
  const activeIndex = Math.max(
    0,
    entries.findIndex(({ key }) => key === activeKey),
  );
  const active = entries[activeIndex];
  const optionId = (index: number) => `${id}-${index}`;

  useEffect(() => input.current?.focus(), []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is active moves with each of these.
  useEffect(() => {
    root.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }, [activeIndex, active?.key]);

  const close = () => root.current?.closest("dialog")?.close();
  const choose = (entry: Entry, inNewTab: boolean) => {
    if ("to" in entry && entry.key !== allCamerasKey && !entry.key.startsWith("alerts with "))
      keepRecent(userId, entry.key);
    const address = pathOf(entry);
    if (inNewTab && address !== undefined) {
      window.open(address, "_blank", "noopener");
      return;
    }
    // The dialog gives the focus back to where it was before anything else happens.
    close();
    follow(entry);
  };
  const move = (by: number) => {
    const next = entries[(activeIndex + by + entries.length) % entries.length];
    if (next) setActiveKey(next.key);
  };
  const press = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (commandIn(event) === command("K")) close();
    else if (event.key === "ArrowDown") move(1);
    else if (event.key === "ArrowUp") move(-1);
    else if (event.key === "Enter" && active) choose(active, event.ctrlKey || event.metaKey);
    else if (event.key !== "Enter") return;
    event.preventDefault();
  };
  const isEmpty = entries.length === 0;
  const status = isEmpty ? (isSearching ? texts.searching : texts.none) : texts.found(entries.length);
  return (
    <div ref={root} className="palette">
      <div className="palette-field">
        <SearchIcon />
        <input
          ref={(element) => {
            input.current = element;
            element?.setAttribute("autofocus", "");
          }}
          type="text"
          role="combobox"
          aria-label={texts.search}
          aria-expanded={!isEmpty}
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={active && optionId(activeIndex)}
          placeholder={texts.placeholder}
          maxLength={200}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          enterKeyHint="go"
          value={text}
          onChange={({ target }) => {
            setText(target.value);
            setActiveKey(undefined);
          }}
          onKeyDown={press}
        />
      </div>
      <div id={`${id}-list`} role="listbox" aria-label={texts.results} className="palette-results">
        {shown.map(({ name, entries, first }) => (
          // biome-ignore lint/a11y/useSemanticElements: groups of a list are no fieldsets.
          <div key={name} role="group" aria-labelledby={`${id}-${name}`}>
            <div id={`${id}-${name}`} className="palette-group" role="presentation">
              {texts.groups[name]}
            </div>
            {entries.map((entry, index) => (
              <Option
                key={entry.key}
                id={optionId(first + index)}
                entry={entry}
                isActive={first + index === activeIndex}
                onPoint={() => setActiveKey(entry.key)}
                onChoose={(inNewTab) => choose(entry, inNewTab)}
              />
            ))}
          </div>
        ))}
      </div>
      <p className={isEmpty ? "palette-empty" : "visually-hidden"} role="status">
        {status}
      </p>
      {moreRules > 0 && <p className="hint">{texts.moreRules(moreRules)}</p>}
      {problem && <p className="problem">{problem}</p>}
      <p className="palette-keys hint" aria-hidden="true">
        <span>
          <kbd>↑</kbd> <kbd>↓</kbd> {texts.choose}
        </span>
        <span>
          <kbd>↵</kbd> {texts.open}
        </span>
      </p>
    </div>
  );
}

interface OptionProps {
  id: string;
  entry: Entry;
  isActive: boolean;
  onPoint: () => void;
  onChoose: (inNewTab: boolean) => void;
}

function Option({ id, entry: { title, hint, icon: Icon }, isActive, onPoint, onChoose }: OptionProps) {
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the combobox keeps the focus.
    // biome-ignore lint/a11y/useKeyWithClickEvents: the combobox has the keys.
    <div
      id={id}
      role="option"
      aria-selected={isActive}
      className="palette-option"
      onPointerMove={() => isActive || onPoint()}
      onMouseDown={(event) => event.preventDefault()}
      onClick={(event) => onChoose(event.ctrlKey || event.metaKey)}
    >
      <Icon />
      <span className="palette-title">
        <StoredText>{title}</StoredText>
      </span>
      {hint && (
        <span className="hint">
          <StoredText>{hint}</StoredText>
        </span>
      )}
    </div>
  );
}

const storageKey = "console.recent";
/** The maximum number of entries that are kept. */
const mostKept = 6;

/** The keys of what a user chose last, latest first. Names are read again, so that only what may be seen is shown. */
function recentKeys(userId: string | undefined) {
  const kept = localTexts.getJson(storageKey);
  const keys = memberIn(kept, "keys");
  if (userId === undefined || memberIn(kept, "userId") !== userId || !Array.isArray(keys)) return [];
  return keys.filter((key) => typeof key === "string").slice(0, mostKept);
}

/** Keeps what a user chose. What another user chose in this browser is forgotten. */
function keepRecent(userId: string | undefined, key: string) {
  if (userId === undefined) return;
  const keys = [...new Set([key, ...recentKeys(userId)])].slice(0, mostKept);
  localTexts.setItem(storageKey, JSON.stringify({ userId, keys }));
}

import "./rules.css";
import { useRef } from "react";
import { useQuery } from "urql";
import { RulesCamerasDocument } from "../../generated/console.js";
import { useShortcuts } from "../keyboard/shortcuts.js";
import { useLanguage } from "../language/language.js";
import { Link } from "../navigation/link.js";
import { useQuery as useAddress } from "../navigation/location.js";
import { RulesIcon } from "../shell/icons.js";
import { Notice } from "../shell/notice.js";
import { useMay } from "../viewer/viewer.js";
import { CameraList } from "./camera-list.js";
import { CameraRules } from "./camera-rules.js";

/** The rules of each camera: conditions, areas in the picture, and targets. */
export function RulesView() {
  const { messages } = useLanguage();
  const address = useAddress();
  const text = address.get("text") ?? "";
  const search = useRef<HTMLInputElement>(null);
  useShortcuts(messages.views.rules, [
    { keys: "/", label: messages.fleet.keySearch, run: () => search.current?.focus() },
  ]);
  const [{ data }] = useQuery({ query: RulesCamerasDocument, variables: { filter: {} } });
  const mayAdd = useMay("cameras:write");
  const camera = address.get("camera") ?? data?.searchCameras.nodes[0]?.id;
  if (data?.searchCameras.totalCount === 0)
    return (
      <Notice
        icon={<RulesIcon />}
        title={messages.fleet.noCameras}
        actions={mayAdd && <Link to={{ view: "settings" }}>{messages.views.settings}</Link>}
      >
        {mayAdd ? messages.fleet.noCamerasText : messages.fleet.noCamerasYet}
      </Notice>
    );
  return (
    <div className="rules">
      <CameraList text={text} selected={camera} search={search} />
      {camera && <CameraRules key={camera} id={camera} />}
    </div>
  );
}

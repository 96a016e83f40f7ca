import type { ReactNode } from "react";
import type { CameraRuleFragment, RulesCameraFragment } from "../../generated/console.js";
import type { Size } from "../../platform/geometry.js";
import { isolated } from "../../platform/text/text-direction.js";
import { pictureSource } from "../data/picture.js";
import { NoCameraPicture } from "../fleet/camera-picture.js";
import { useTexts as useFleetTexts } from "../fleet/texts.js";
import { useLanguage } from "../language/language.js";
import { defaultColor, outlineOf } from "./areas.js";

/** The size of a picture that is not known. */
export const usualSize: Size = { width: 1280, height: 720 };

interface CameraSceneProps {
  camera: RulesCameraFragment;
  size: Size;
  /** Called with the size of the picture when it is loaded. */
  onLoad: (size: Size) => void;
  rules: readonly CameraRuleFragment[];
  selected?: string | undefined;
  onSelect?: (ruleId: string) => void;
  children?: ReactNode;
}

export function CameraScene({ camera, size, onLoad, rules, selected, onSelect, children }: CameraSceneProps) {
  const { words } = useLanguage();
  const { pictureOf } = useFleetTexts();
  const source = pictureSource(camera.imageLink);
  const shapes = rules.flatMap((rule) => rule.areas.map((area) => ({ rule, area })));
  return (
    <div className="scene" style={{ aspectRatio: `${size.width} / ${size.height}` }}>
      {source ? (
        <img
          src={source}
          alt={pictureOf(isolated(camera.name))}
          onLoad={({ currentTarget: { naturalWidth: width, naturalHeight: height } }) =>
            onLoad({ width, height })
          }
        />
      ) : (
        <NoCameraPicture link={camera.imageLink} />
      )}
      {/* The list of rules describes the areas, and can select them too. */}
      <svg viewBox={`0 0 ${size.width} ${size.height}`} preserveAspectRatio="none" aria-hidden="true">
        {shapes.map(({ rule, area }) => (
          // biome-ignore lint/a11y/noStaticElementInteractions: the list of rules offers the same action.
          <polygon
            key={area.id}
            className="area"
            data-selected={rule.id === selected}
            points={outlineOf(area.points)}
            stroke={area.color ?? defaultColor}
            fill={area.color ?? defaultColor}
            onClick={() => onSelect?.(rule.id)}
          >
            <title>{`${isolated(area.name ?? "")} · ${isolated(words.alertType(rule.name))}`}</title>
          </polygon>
        ))}
      </svg>
      {children}
    </div>
  );
}

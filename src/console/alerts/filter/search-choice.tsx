import { type PointerEvent, useState } from "react";
import { useQuery } from "urql";
import { type PictureBoxInput, PictureOfCameraDocument } from "../../../generated/console.js";
import type { Point } from "../../../platform/geometry.js";
import { pictureSource } from "../../data/picture.js";
import { Field } from "../../form/field.js";
import { useMessages } from "../../language/language.js";
import { useAlertTexts } from "../texts.js";
import type { AlertSelection } from "./alert-filter.js";
import { maxSearched } from "./alert-filter-fields.js";

/** The most labels of objects that the API takes. */
const maxLabels = 20;

interface SearchChoiceProps {
  selection: AlertSelection;
  onChange: (changes: Partial<AlertSelection>) => void;
}

/** Searches what was seen: by words, by the labels of objects, and in a part of a camera's picture. */
export function SearchChoice({
  selection: { text, objectLabels, cameraIds, box },
  onChange,
}: SearchChoiceProps) {
  const messages = useMessages();
  const { search } = useAlertTexts().filters;
  const [cameraId, ...others] = cameraIds;
  return (
    <>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const form = new FormData(event.currentTarget);
          const textOf = (name: string) => String(form.get(name) ?? "").trim();
          const labels = textOf("objects")
            .split(",")
            .map((label) => label.trim());
          onChange({
            text: textOf("text") || undefined,
            objectLabels: labels.filter((label) => label !== "").slice(0, maxLabels),
          });
        }}
      >
        <Field label={search.text} hint={search.textHint}>
          {(field) => (
            <input {...field} type="search" name="text" maxLength={maxSearched} defaultValue={text} />
          )}
        </Field>
        <Field label={search.objects} hint={search.objectsHint}>
          {(field) => (
            <input {...field} type="search" name="objects" defaultValue={objectLabels.join(", ")} />
          )}
        </Field>
        <button type="submit">{search.submit}</button>
      </form>
      {cameraId !== undefined && others.length === 0 ? (
        <BoxChoice cameraId={cameraId} box={box} onChange={(drawn) => onChange({ box: drawn })} />
      ) : (
        <p className="hint">{search.oneCamera}</p>
      )}
      {box && (
        <button type="button" onClick={() => onChange({ box: undefined })}>
          {search.box} <span aria-hidden="true">×</span>
          <span className="visually-hidden">{messages.common.clear}</span>
        </button>
      )}
    </>
  );
}

interface BoxChoiceProps {
  cameraId: string;
  box: PictureBoxInput | undefined;
  onChange: (box: PictureBoxInput) => void;
}

/** The camera's picture, on which a box is drawn with the pointer. */
function BoxChoice({ cameraId, box, onChange }: BoxChoiceProps) {
  const { search } = useAlertTexts().filters;
  const [{ data }] = useQuery({ query: PictureOfCameraDocument, variables: { id: cameraId } });
  const [drawn, setDrawn] = useState<{ from: Point; to: Point }>();
  const source = pictureSource(data?.camera?.imageLink) ?? pictureSource(data?.camera?.thumbnailUrl);
  if (source === undefined) return null;
  const shown = drawn ? boxOf(drawn) : box;
  return (
    <figure>
      <figcaption className="hint">{search.draw}</figcaption>
      <div
        className="search-box"
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          const from = shareOf(event);
          setDrawn({ from, to: from });
        }}
        onPointerMove={(event) => drawn && setDrawn({ ...drawn, to: shareOf(event) })}
        onPointerUp={() => {
          if (drawn && drawn.from.x !== drawn.to.x && drawn.from.y !== drawn.to.y) onChange(boxOf(drawn));
          setDrawn(undefined);
        }}
        onPointerCancel={() => setDrawn(undefined)}
      >
        <img src={source} alt="" draggable={false} />
        {shown && (
          <svg viewBox="0 0 1 1" preserveAspectRatio="none" aria-hidden="true">
            <rect x={shown.x1} y={shown.y1} width={shown.x2 - shown.x1} height={shown.y2 - shown.y1} />
          </svg>
        )}
      </div>
    </figure>
  );
}

/** Where on the picture the pointer is, in shares of its sides. */
function shareOf({ currentTarget, clientX, clientY }: PointerEvent): Point {
  const { left, top, width, height } = currentTarget.getBoundingClientRect();
  const share = (length: number, of: number) => Math.min(1, Math.max(0, length / of));
  return { x: share(clientX - left, width), y: share(clientY - top, height) };
}

const boxOf = ({ from, to }: { from: Point; to: Point }): PictureBoxInput => ({
  x1: Math.min(from.x, to.x),
  y1: Math.min(from.y, to.y),
  x2: Math.max(from.x, to.x),
  y2: Math.max(from.y, to.y),
});

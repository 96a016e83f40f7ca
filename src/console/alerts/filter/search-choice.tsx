import { type PointerEvent, useState } from "react";
import { useQuery } from "urql";
import { type PictureBoxInput, PictureOfCameraDocument } from "../../../generated/console.js";
import type { Point } from "../../../platform/geometry.js";
import { pictureSource } from "../../data/picture.js";
import { textsIn } from "../../form/edit-form.js";
import { TextField } from "../../form/field.js";
import { useMessages } from "../../language/language.js";
import { useAlertTexts } from "../texts.js";
import type { AlertSelection } from "./alert-filter.js";
import { attributesIn, attributeTexts, maxSearched } from "./alert-filter-fields.js";

/** The most labels and attributes of objects that the API takes. */
const mostOfObjects = 20;

const sides = ["x1", "y1", "x2", "y2"] as const;

interface SearchChoiceProps {
  selection: AlertSelection;
  onChange: (changes: Partial<AlertSelection>) => void;
}

/** Searches what was seen: by words, by objects and their attributes, and in a part of a camera's picture. */
export function SearchChoice({
  selection: { text = "", objectLabels, objectAttributes, cameraIds, box },
  onChange,
}: SearchChoiceProps) {
  const messages = useMessages();
  const { search } = useAlertTexts().filters;
  const [cameraId, ...others] = cameraIds;
  const hasPicture = cameraId !== undefined && others.length === 0;
  const submit = (texts: Record<string, string>) => {
    const listOf = (name: string) =>
      (texts[name] ?? "")
        .split(",")
        .map((each) => each.trim())
        .filter((each) => each !== "")
        .slice(0, mostOfObjects);
    const [x1, y1, x2, y2] = sides.flatMap((side) => (texts[side] ? shareWithin(+texts[side], 100) : []));
    const isBox = x1 !== undefined && y1 !== undefined && x2 !== undefined && y2 !== undefined;
    onChange({
      text: texts.text || undefined,
      objectLabels: listOf("objects"),
      objectAttributes: attributesIn(listOf("attributes")),
      ...(hasPicture && {
        box: isBox ? boxOf({ from: { x: x1, y: y1 }, to: { x: x2, y: y2 } }) : undefined,
      }),
    });
  };
  return (
    <>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          submit(textsIn(event.currentTarget));
        }}
      >
        <TextField
          name="text"
          label={search.text}
          hint={search.textHint}
          maxLength={maxSearched}
          defaultValue={text}
        />
        <TextField
          name="objects"
          label={search.objects}
          hint={search.objectsHint}
          defaultValue={objectLabels.join(", ")}
        />
        <TextField
          name="attributes"
          label={search.attributes}
          hint={search.attributesHint}
          defaultValue={attributeTexts(objectAttributes).join(", ")}
        />
        {hasPicture && (
          <fieldset key={JSON.stringify(box)} className="box-sides">
            <legend className="hint">{search.sides}</legend>
            {sides.map((side) => (
              <TextField
                key={side}
                name={side}
                label={search[side]}
                type="number"
                defaultValue={box && Math.round(1000 * box[side]) / 10}
              />
            ))}
          </fieldset>
        )}
        <button type="submit">{search.submit}</button>
      </form>
      {hasPicture ? (
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

/** A length as a share of a whole. */
const shareWithin = (length: number, whole: number) => Math.min(1, Math.max(0, length / whole));

/** Where on the picture the pointer is, in shares of its sides. */
function shareOf({ currentTarget, clientX, clientY }: PointerEvent): Point {
  const { left, top, width, height } = currentTarget.getBoundingClientRect();
  return { x: shareWithin(clientX - left, width), y: shareWithin(clientY - top, height) };
}

const boxOf = ({ from, to }: { from: Point; to: Point }): PictureBoxInput => ({
  x1: Math.min(from.x, to.x),
  y1: Math.min(from.y, to.y),
  x2: Math.max(from.x, to.x),
  y2: Math.max(from.y, to.y),
});

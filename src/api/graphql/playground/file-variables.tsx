import { pick, useGraphiQL } from "@graphiql/react";
import { useState } from "react";
import { createPortal } from "react-dom";
import type { OperationFiles } from "./operation-files.js";
import { useTexts } from "./texts.js";

interface FileVariablesProps {
  files: OperationFiles;
  container: HTMLElement;
}

/** The files of the shown operation: a choice for each variable that takes one. */
export function FileVariables({ files, container }: FileVariablesProps) {
  const texts = useTexts();
  // The schema says which variables take files.
  const { documentAST, operationName } = useGraphiQL(pick("documentAST", "operationName", "schema"));
  const [, setChanges] = useState(0);
  const paths = files.pathsIn(documentAST, operationName);
  if (paths.length === 0) return null;
  return createPortal(
    <fieldset className="file-variables">
      <legend>{texts.files}</legend>
      {paths.map((path) => (
        <label key={`${operationName} ${path}`}>
          <code>${path}</code>
          <input
            type="file"
            onChange={({ currentTarget }) => {
              files.choose(operationName, path, currentTarget.files?.[0]);
              setChanges((count) => count + 1);
            }}
          />
          <span>{files.chosen(operationName, path)?.name ?? texts.choose}</span>
        </label>
      ))}
    </fieldset>,
    container,
  );
}

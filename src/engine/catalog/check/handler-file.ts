// Checks a handler's file for the catalog [F24]. Loaded when a handler is read: the TypeScript parser weighs 75 KiB (gzip).

import { codePlace } from "../../../core/flow/code-file.ts"
import type { Checked, Handler } from "./language.ts"
import { stripTypes } from "../../code/strip-types.ts"

/** `path`: its extension gives the language. */
export function checkHandlerFile(text: string, path: string): Checked<Handler> {
  const place = codePlace(path.replace(/^packages\/[^/]+\//, ""))
  const { code, diagnostics } = stripTypes(text, place.ok ? place.value.language : "js")
  return { ...(code === undefined ? {} : { value: { code } }), diagnostics }
}

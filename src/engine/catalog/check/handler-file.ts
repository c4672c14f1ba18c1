// A handler's file as the catalog checks it [F24]. Imported when a handler is read: the parser of TypeScript weighs 75 KiB (gzip).

import { codePlace } from "../../../core/flow/code-file.ts"
import type { Checked, Handler } from "./language.ts"
import { stripTypes } from "../../code/strip-types.ts"

/** `path`: its extension gives the language. */
export function checkHandlerFile(text: string, path: string): Checked<Handler> {
  const place = codePlace(path.replace(/^packages\/[^/]+\//, ""))
  const { code, diagnostics } = stripTypes(text, place.ok ? place.value.language : "js")
  return { ...(code === undefined ? {} : { value: { code } }), diagnostics }
}

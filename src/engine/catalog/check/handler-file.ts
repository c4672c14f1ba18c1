// Checks a handler's file for the catalog [F24]. Loaded when a handler is read: the TypeScript parser weighs 75 KiB (gzip).

import type { Checked, Handler } from "./language.ts"
import { stripTypes } from "../../code/strip-types.ts"

/** `path`: its extension gives the language. */
export function checkHandlerFile(text: string, path: string): Checked<Handler> {
  const { code, diagnostics } = stripTypes(text, path.endsWith(".ts") ? "ts" : "js")
  return { ...(code === undefined ? {} : { value: { code } }), diagnostics }
}

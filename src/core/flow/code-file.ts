// Maps handler files of code steps to their flow and step, and back to the stored path [F24].
//
// `code/legal/nda/check.ts` is the handler of step `check` in the flow `legal:nda`. Files in a flow's own folder
// (`flows/legal/nda/check.ts` beside `flows/legal/nda/flow.yaml` [F5]) mean the same and are stored under the path above.

import { normalizePath } from "../text/path.ts"
import { err, ok, type Result } from "../result.ts"
import { isFlowId } from "../text/names.ts"

export const MAX_CODE_BYTES = 262_144 // limit: bytes of a handler → `CV-LIMIT`: the file is not written

export const MAX_BUNDLE_BYTES = 1_048_576 // limit: bytes of a handler that the command line bundled → `CV-LIMIT`: the file is not written

export type CodeLanguage = "ts" | "js"

export interface CodePlace {
  readonly flow: string
  readonly step: string
  readonly language: CodeLanguage
  /** `code/…`, even if the handler was given under another path. */
  readonly path: string
}

/** Tells whether this is a valid step id, by the rules of parse-step.ts; it is also the file's name. */
export const isStepId = (text: string): boolean =>
  /^[A-Za-z0-9][A-Za-z0-9_.-]{0,199}$/.test(text) &&
  !text.includes("..") &&
  !text.endsWith(".") &&
  !["constructor", "prototype"].includes(text)

export const codePathOf = (flow: string, step: string, language: CodeLanguage = "ts"): string =>
  `code/${flow.replaceAll(":", "/")}/${step}.${language}`

/** The handler's id. It is independent of the language, because a step has a single handler. */
export const codeIdOf = (flow: string, step: string): string => `${flow}/${step}`

/** The flow and step of `code/FLOW/STEP.ts` or `flows/FLOW/STEP.ts` (or `.js`); the error says why the path is invalid. */
export function codePlace(path: string): Result<CodePlace, string> {
  const clean = normalizePath(path)
  if (!clean.ok) return clean
  if (clean.value !== path) return err(`${JSON.stringify(path)}: write it as ${JSON.stringify(clean.value)}`)
  const parts = path.split("/")
  const [folder, ...rest] = parts
  const [, step = "", ending] = /^(.*)\.([a-z]+)$/.exec(rest.pop() ?? "") ?? []
  if ((folder !== "code" && folder !== "flows") || rest.length === 0) return err(`${JSON.stringify(path)}: a handler's file is ${PLACES}`)
  if (ending !== "ts" && ending !== "js") return err(`${JSON.stringify(path)}: a handler's file ends in .ts or .js; write ${PLACES}`)
  if (step.endsWith(".d")) return err(`${JSON.stringify(path)} is a declaration file, not a handler`)
  const flow = rest.join(":")
  if (!isFlowId(flow) || rest.some((part) => part.includes(":")))
    return err(`${JSON.stringify(path)}: ${JSON.stringify(rest.join("/"))} is not a valid flow id`)
  if (!isStepId(step)) return err(`${JSON.stringify(path)}: ${JSON.stringify(step)} is not a valid step id`)
  return ok({ flow, step, language: ending, path: codePathOf(flow, step, ending) })
}

const PLACES = "code/FLOW/STEP.ts, with the folders of FLOW as in flows/FLOW.yaml"

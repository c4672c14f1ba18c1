// Handler files of code steps [F24]: which flow and step a path belongs to, and the one path a handler is kept under.
//
// `code/legal/nda/check.ts` is the handler of step `check` in the flow `legal:nda`. Files beside a flow's own folder
// (`flows/legal/nda/check.ts` beside `flows/legal/nda/flow.yaml` [F5]) mean the same and are kept under the path above.

import { normalisePath } from "../text/path.ts"
import { err, ok, type Result } from "../result.ts"
import { isFlowId } from "./path-id.ts"

export const MAX_CODE_BYTES = 262_144

export type CodeLanguage = "ts" | "js"

export interface CodePlace {
  readonly flow: string
  readonly step: string
  readonly language: CodeLanguage
  /** `code/…`, whatever the path was that it was read from. */
  readonly path: string
}

/** A step id, as parse-step.ts takes them; it is the file's name. */
export const isStepId = (text: string): boolean =>
  /^[A-Za-z0-9][A-Za-z0-9_.-]{0,199}$/.test(text) &&
  !text.includes("..") &&
  !text.endsWith(".") &&
  !["constructor", "prototype"].includes(text)

export const codePathOf = (flow: string, step: string, language: CodeLanguage = "ts"): string =>
  `code/${flow.replaceAll(":", "/")}/${step}.${language}`

/** Of a handler whatever its language: a step has one. */
export const codeIdOf = (flow: string, step: string): string => `${flow}/${step}`

/** The place of `code/FLOW/STEP.ts` or `flows/FLOW/STEP.ts` (or `.js`); the error is a sentence that says why there is none. */
export function codePlace(path: string): Result<CodePlace, string> {
  const clean = normalisePath(path)
  if (!clean.ok) return clean
  if (clean.value !== path) return err(`${JSON.stringify(path)}: write it as ${JSON.stringify(clean.value)}`)
  const parts = path.split("/")
  const [folder, ...rest] = parts
  const [, step = "", ending] = /^(.*)\.([a-z]+)$/.exec(rest.pop() ?? "") ?? []
  if ((folder !== "code" && folder !== "flows") || rest.length === 0) return err(`${JSON.stringify(path)}: a handler is a file ${PLACES}`)
  if (ending !== "ts" && ending !== "js") return err(`${JSON.stringify(path)}: a handler ends in .ts or .js; it is a file ${PLACES}`)
  if (step.endsWith(".d")) return err(`${JSON.stringify(path)} is a file of declarations, not a handler`)
  const flow = rest.join(":")
  if (!isFlowId(flow) || rest.some((part) => part.includes(":")))
    return err(`${JSON.stringify(path)}: ${JSON.stringify(rest.join("/"))} is no flow`)
  if (!isStepId(step)) return err(`${JSON.stringify(path)}: ${JSON.stringify(step)} is no id of a step`)
  return ok({ flow, step, language: ending, path: codePathOf(flow, step, ending) })
}

const PLACES = "code/FLOW/STEP.ts, the folders of FLOW as in flows/FLOW.yaml"

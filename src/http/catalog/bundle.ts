// Reads a bundle from a request: `{agents: {"a.md": text}, flows, skills, code}`, and writes the refusal of files with errors.

import type { Diagnostic } from "../../core/diagnostic.ts"
import { pointerStep } from "../../core/text/pointer.ts"
import type { Call } from "../middleware/call.ts"
import { faultOf, MAX_FAULTS, refuse, type Fault } from "../middleware/problem.ts"

type Diagnostics = Readonly<Record<string, readonly Diagnostic[]>>

/** Returns 422 with the diagnostics of each file. `inBody`: paths are places in the request's body. */
export function refused(c: Call, diagnostics: Diagnostics, inBody: boolean): Response {
  const errors = Object.entries(diagnostics).flatMap(([path, list]) =>
    list
      .filter((d) => d.severity === "error")
      .map((d) => (inBody ? inBundle(path, d) : { ...faultOf(d), message: `${path}: ${d.message}` })),
  )
  const listed = errors.slice(0, MAX_FAULTS)
  const detail = listed.map((e) => (inBody ? `${e.pointer}:${e.line} ${e.message}` : `${e.message} (line ${e.line})`)).join("; ")
  const more = errors.length > listed.length ? "; and more" : ""
  return refuse(c, { code: "not_written", detail: `Nothing was changed. ${detail}${more}`.trim(), errors: listed, more: { diagnostics } })
}

/** `skills/s/SKILL.md` is the member `s/SKILL.md` of `skills`, and `policy.yaml` is one of `settings`. */
function inBundle(path: string, d: Diagnostic): Fault {
  if (path !== "" && !path.includes("/")) return faultOf(d, pointerStep("settings") + pointerStep(path))
  const [kind = "", ...rest] = path.split("/")
  return faultOf(d, pointerStep(kind) + (rest.length === 0 ? "" : pointerStep(rest.join("/"))))
}

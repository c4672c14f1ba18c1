// Puts a meter into a handler: every loop and every function call counts a step, so that one that computes for ever ends.
//
// Needed because nothing outside can end it everywhere: workerd by itself does not keep `limits.cpuMs` (measured: `for(;;);` in a
// Dynamic Worker stopped the whole local server, timers and other requests too). No line moves; columns do. What spins inside one
// call of the language (a pattern, a sort) is not seen here; on the platform its CPU limit ends that too.

import { err, ok, type Result } from "../../core/result.ts"
import { checkHandler } from "./check-handler.ts"
import { child, readHandler, walk, type Node } from "./handler-source.ts"

/** The module that the handler's first line imports `tick` from. */
export const METER = "meter.js"

/** The error is a sentence: the text is no JavaScript, or imports something, and was stored past the checks of a write. */
export function meter(code: string): Result<string, string> {
  const source = readHandler(code, "js", { preserveParens: true })
  if (!source.ok) return err(`line ${source.error.line}: ${source.error.message}`)
  const foreign = checkHandler(source.value).find((d) => d.code === "CV-IMPORT")
  if (foreign) return err(`line ${foreign.line}: ${foreign.message}`)

  const tick = freeName(code)
  const opens: { at: number; text: string }[] = []
  const closes: { at: number; text: string }[] = []
  const around = (node: Node, before: string, after: string): void => {
    opens.push({ at: node.start, text: before })
    closes.push({ at: node.end, text: after })
  }
  walk(source.value.program, (node) => {
    const body = METERED.has(node.type) ? child(node, "body") : undefined
    if (body?.type === "BlockStatement") opens.push({ at: body.start + 1, text: `${tick}();` })
    else if (body && node.type === "ArrowFunctionExpression") around(body, `(${tick}(),`, ")")
    else if (body) around(body, `{${tick}();`, "}")
    return true
  })

  // At one place what was opened first is outermost, and what was closed last.
  const inserts = [...closes.reverse(), ...opens].sort((a, b) => a.at - b.at)
  const parts = [`import { tick as ${tick} } from "${METER}";`]
  let last = 0
  for (const { at, text } of inserts) {
    parts.push(code.slice(last, at), text)
    last = at
  }
  return ok(parts.join("") + code.slice(last))
}

const METERED: ReadonlySet<string> = new Set([
  "ForStatement",
  "ForInStatement",
  "ForOfStatement",
  "WhileStatement",
  "DoWhileStatement",
  "FunctionDeclaration",
  "FunctionExpression",
  "ArrowFunctionExpression",
])

function freeName(code: string): string {
  let name = "$tick"
  for (let i = 0; code.includes(name); i++) name = `$tick${i}`
  return name
}

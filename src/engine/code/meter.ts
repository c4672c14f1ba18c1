// Adds a meter to a handler: every loop iteration, function call and `await` counts steps, so an endless computation ends.
//
// Needed because it cannot be ended from outside everywhere: plain workerd does not enforce `limits.cpuMs` (measured: `for(;;);` in a
// Dynamic Worker stopped the whole local server, including timers and other requests). Lines keep their numbers; columns move. A loop
// inside one built-in call (a pattern, a sort) is not metered; on the platform, the CPU limit ends that too.

import { err, ok, type Result } from "../../core/result.ts"
import { checkHandler } from "./check-handler.ts"
import { AWAIT_STEPS, METER } from "./meter-name.ts"
import { child, readHandler, walk, type SyntaxNode } from "./handler-source.ts"

/** The error is a sentence: the text is not JavaScript, or has imports, and so was stored without the checks of a write. */
export function meter(code: string): Result<string, string> {
  const source = readHandler(code, "js", { preserveParens: true })
  if (!source.ok) return err(`line ${source.error.line}: ${source.error.message}`)
  const foreign = checkHandler(source.value).find((d) => d.code === "CV-IMPORT")
  if (foreign) return err(`line ${foreign.line}: ${foreign.message}`)

  const tick = freeName(code)
  const opens: { at: number; text: string }[] = []
  const closes: { at: number; text: string }[] = []
  const around = (node: SyntaxNode, before: string, after: string): void => {
    opens.push({ at: node.start, text: before })
    closes.push({ at: node.end, text: after })
  }
  walk(source.value.program, (node) => {
    const awaited = node.type === "AwaitExpression" ? child(node, "argument") : undefined
    if (awaited) around(awaited, `(${tick}(${AWAIT_STEPS}),`, ")")
    const body = METERED.has(node.type) ? child(node, "body") : undefined
    const steps = node["await"] === true ? AWAIT_STEPS : 1
    if (body?.type === "BlockStatement") opens.push({ at: body.start + 1, text: `${tick}(${steps});` })
    else if (body && node.type === "ArrowFunctionExpression") around(body, `(${tick}(${steps}),`, ")")
    else if (body) around(body, `{${tick}(${steps});`, "}")
    return true
  })

  // At the same position, the first opening and the last closing are outermost.
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

// Finds the recorded result of a call, for a fork that may not make the call again [F77].

import { defined } from "../../core/defined.ts"
import { canonical, type JsonObject } from "../../core/json.ts"
import type { RunEvent } from "../../core/run/event.ts"
import type { ToolResult } from "../../core/run/signal.ts"
import type { RunPort } from "../../ports/run.ts"

const PAGE = 500

/**
 * The first result after event `after` of a call of this tool with these arguments; otherwise the last one before it. The placeholder of a
 * kept call does not count.
 */
export async function recordedCall(
  port: Pick<RunPort, "events">,
  after: number,
  tool: string,
  args: JsonObject,
): Promise<ToolResult | undefined> {
  const wanted = canonical(args)
  const open = new Set<string>()
  let before: ToolResult | undefined
  for (let at = 0; ;) {
    const page = await port.events(at, PAGE)
    for (const e of page?.data ?? []) {
      if (e.type === "tool.called" && e.tool === tool && canonical(e.args) === wanted) open.add(`${e.step}/${e.callId}`)
      else if (e.type === "tool.returned" && open.delete(`${e.step}/${e.callId}`) && e.staged !== true) {
        if (e.seq > after) return resultOf(e)
        before = resultOf(e)
      }
    }
    const last = page?.data.at(-1)
    if (!page || !last || (page.more !== true && page.data.length < PAGE)) return before
    at = last.seq
  }
}

function resultOf(e: Extract<RunEvent, { type: "tool.returned" }>): ToolResult {
  const { isError, content, attached, details, truncated, digest, tainted, private: isPrivate } = e
  return {
    isError,
    content,
    ...defined({ attached, details, truncated, digest }),
    ...(tainted ? { untrusted: true } : {}),
    ...(isPrivate ? { private: true } : {}),
  }
}

// The tool `subagent` for a caller outside a run: a run of one agent, waited for [spec/tools.md §2]. It is a run like any other,
// journaled and shown under its id; the caller's going away does not end it.

import { isObject, type JsonObject } from "../core/json.ts"
import type { RunView } from "../core/run/view.ts"
import type { TenantPort } from "../ports/catalog.ts"
import type { RunPort } from "../ports/run.ts"
import type { SubagentResult, Subagents } from "../ports/tool.ts"

/** As long as a start may wait [H9]. */
const WAIT_MS = 90_000

export function subagents(tenant: TenantPort, name: string, runId: () => Promise<string>, run: (id: string) => RunPort): Subagents {
  return {
    async run({ agent, task, inputs, sessionId }): Promise<SubagentResult> {
      if (sessionId !== undefined) return { kind: "failed", message: "sticky sessions are not supported yet: leave out sessionId" }
      const pinned = await tenant.pin({ agent }, { rehearse: false })
      if (!pinned.ok) return { kind: "failed", message: pinned.code === "not_found" ? `there is no agent "${agent}"` : pinned.message }
      const id = await runId()
      const port = run(id)
      await port.start({
        tenant: name,
        run: id,
        flow: pinned.flow.id,
        task,
        inputs,
        autonomous: true,
        rehearsed: pinned.rehearsed,
        pins: pinned.pins,
        trigger: { kind: "api", key: "subagent" },
      })
      const seen = await port.wait(WAIT_MS)
      return seen ? resultOf(id, seen) : { kind: "failed", runId: id, message: "the run is gone" }
    },
  }
}

function resultOf(runId: string, seen: RunView): SubagentResult {
  if (seen.status === "failed" || seen.status === "canceled")
    return { kind: "failed", runId, message: seen.error?.message ?? `the run was ${seen.status}` }
  if (seen.status !== "succeeded") return { kind: "waiting", runId }
  const output: JsonObject = isObject(seen.output) ? (seen.output as JsonObject) : {}
  const { status = "complete", summary = "", files = [], outputs = {}, artifacts } = output
  return {
    kind: "ended",
    runId,
    finish: {
      status,
      summary,
      files,
      ...(artifacts === undefined ? {} : { artifacts }),
      ...(isObject(outputs) ? (outputs as JsonObject) : {}),
    },
  }
}

// Reads what the page of the tools shows, and switches a tool: off is an entry of the policy's "never" list, which runs follow at their next call.

import { useEffect, useMemo, useState } from "react"
import type { Overview } from "../../../src/api/doc/overview.doc.ts"
import type { AgentTool } from "../../../src/api/doc/used.doc.ts"
import { parsePolicy } from "../../../src/core/tool/policy/parse-policy.ts"
import type { JsonObject } from "../../../src/core/json.ts"
import { UsageClient } from "../../../src/client/insight.ts"
import { settingsOver, Tools } from "../../../src/client/settings.ts"
import { switched, toolGroups, type ToolGroup } from "../../../web/tools/tool-list.ts"
import { useAsked, type Asked } from "../parts/asked.ts"
import { faultOf } from "../parts/fault.ts"
import type { Api } from "../shell/session.ts"

const DAYS = 14
const DAY_MS = 86_400_000
/** How long a switch can be undone by one key. */
const UNDO_MS = 10_000

interface Read {
  readonly groups: readonly ToolGroup[]
  /** By tool, of each of the last days. */
  readonly days: ReadonlyMap<string, readonly number[]>
  /** undefined: this session may not read it. */
  readonly total: Overview["total"] | undefined
}

export function useTools(api: Api): Asked<Read> {
  const has = (scope: string): boolean => (api.who.scopes as readonly string[]).includes(scope)
  return useAsked(["settings", "tools"], async () => {
    const [tools, policy, overview] = await Promise.all([
      new Tools(api.transport).list().all(),
      has("admin") ? settingsOver(api.transport).policy.get() : {},
      has("runs:read")
        ? new UsageClient(api.transport).overview({
            since: new Date(Date.now() - (DAYS - 1) * DAY_MS).toISOString(),
            each: "day",
            names: 1,
          })
        : undefined,
    ])
    const read = parsePolicy(policy)
    if (!read.ok) throw new Error("The policy cannot be read.")
    const days = new Map<string, number[]>()
    for (const [at, slice] of (overview?.data ?? []).entries())
      for (const { tool, calls } of slice.tools ?? []) {
        const row = days.get(tool) ?? Array.from({ length: overview?.data.length ?? 0 }, () => 0)
        row[at] = calls
        days.set(tool, row)
      }
    return { groups: toolGroups(tools, read.value, overview?.total.tools ?? []), days, total: overview?.total }
  })
}

export interface Switching {
  readonly flip: (name: string, isOn: boolean) => void
  /** What was switched just now. */
  readonly last: { readonly name: string; readonly isOn: boolean } | undefined
  readonly undo: () => void
  readonly fault: string | undefined
  readonly busy: string | undefined
}

export function useSwitch(api: Api, again: () => void): Switching {
  const [last, setLast] = useState<Switching["last"]>()
  const [fault, setFault] = useState<string>()
  const [busy, setBusy] = useState<string>()
  useEffect(() => {
    if (last === undefined) return
    const timer = setTimeout(() => setLast(undefined), UNDO_MS)
    return () => clearTimeout(timer)
  }, [last])
  return useMemo(() => {
    const { policy } = settingsOver(api.transport)
    const write = (name: string, isOn: boolean, after: () => void): void => {
      if (busy !== undefined) return
      setBusy(name)
      setFault(undefined)
      // Read anew, so that what somebody else has written since stays.
      const put = async (): Promise<void> => void (await policy.put(switched(await policy.get(), name, isOn) as JsonObject))
      put()
        .then(
          () => {
            after()
            again()
          },
          (error: unknown) => setFault(faultOf(error)),
        )
        .finally(() => setBusy(undefined))
    }
    return {
      flip: (name, isOn) => write(name, isOn, () => setLast({ name, isOn })),
      last,
      undo: () => last && write(last.name, !last.isOn, () => setLast(undefined)),
      fault,
      busy,
    }
  }, [api, again, last, fault, busy])
}

/** Agents that are asked about: each is a request. */
const MOST_AGENTS = 60

export interface Caller {
  readonly agent: string
  readonly tool: AgentTool
}

export interface Callers {
  readonly byTool: ReadonlyMap<string, readonly Caller[]>
  readonly isWhole: boolean
}

/** Which agents have which tools: the tenant's own agents first. */
export const useCallers = (api: Api): Asked<Callers> =>
  useAsked(["catalog", "callers"], async () => {
    const agents = (await api.catalog.used("agent").all()).toSorted((a, b) => Number(a.tier === "built-in") - Number(b.tier === "built-in"))
    const byTool = new Map<string, Caller[]>()
    // One after another: others wait for the same server.
    for (const { id } of agents.slice(0, MOST_AGENTS)) {
      const tools = await api.catalog
        .tools(id)
        .all()
        .catch(() => [])
      for (const tool of tools) if (tool.granted) byTool.set(tool.name, [...(byTool.get(tool.name) ?? []), { agent: id, tool }])
    }
    return { byTool, isWhole: agents.length <= MOST_AGENTS }
  })

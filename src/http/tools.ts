// Tools for a caller outside a run, the "main session" of spec/tools.md §2: what there is and why not, and one call of one tool.
//
// The authoring tools answer the seed's shapes bare, every other tool `{content, details, isError?}`; a tool that fails is a 200 [shapes.md].

import { isObject } from "../core/json.ts"
import { callMainTool } from "../engine/execute-tool.ts"
import type { ToolSpec } from "../core/tool-spec.ts"
import type { Scope } from "../ports/house.ts"
import type { Subagents, SubagentResult } from "../ports/tool.ts"
import type { Workspace } from "../ports/workspace.ts"
import { parseJson } from "./body.ts"
import { param, type Call } from "./call.ts"
import { lacks } from "./door.ts"
import { pointerStep } from "../core/pointer.ts"
import { invalid, NOT_FOUND, refuse, unsupported } from "./problem.ts"
import { page } from "./query.ts"

/** Tools whose details are the whole answer [pi-flows.md §7.5, §7.6]. */
const SEED_SHAPED: ReadonlySet<string> = new Set(["agent_catalog", "agent_write", "flow_write"])
/** What a call needs beyond tools:call: writing a definition by a tool is writing it. */
const NEEDS: ReadonlyMap<string, Scope> = new Map([
  ["agent_write", "catalog:write"],
  ["flow_write", "catalog:write"],
])

/** Known, and for a caller outside a run not built yet. */
const LATER: ReadonlySet<string> = new Set(["ask_user"])

function whyNot(c: Call, tool: ToolSpec): string | undefined {
  if (LATER.has(tool.name)) return "not supported yet outside a run"
  if (!tool.contexts.includes("main")) return "only in an agent's session"
  const scope = NEEDS.get(tool.name)
  return scope === undefined || c.get("caller").scopes.includes(scope) ? undefined : `the key lacks the scope ${scope}`
}

export function listTools(c: Call): Response {
  const { tools, others = [] } = c.get("house")
  const rows = [...tools, ...others].map((tool) => {
    const { name, label, description, parameters, effect, contexts } = tool
    const reason = whyNot(c, tool)
    const row = { name, ...(label === undefined ? {} : { label }), description, parameters, effect, contexts }
    return reason === undefined ? { ...row, available: true } : { ...row, available: false, reason }
  })
  return page(c, rows)
}

export async function callTool(c: Call): Promise<Response> {
  const { tools } = c.get("house")
  const name = param(c, "tool")
  if (LATER.has(name)) return refuse(c, unsupported(`${name} outside a run`))
  const tool = tools.find((t) => t.name === name)
  if (!tool?.contexts.includes("main")) return refuse(c, NOT_FOUND)
  const scope = NEEDS.get(tool.name)
  const forbidden = scope === undefined ? undefined : lacks(c, scope)
  if (forbidden) return forbidden
  const params = parseJson(c)
  if (!params.ok) return refuse(c, params.error)
  if (!isObject(params.value)) return refuse(c, invalid([{ pointer: "", message: "must be a JSON object: the tool's arguments" }]))

  const house = c.get("tenant")
  const child = overheard(house.subagents)
  const powers = { workspace: NO_WORKSPACE, skills: await house.skills(), author: house.tenant, subagents: child }
  // Never aborted: work does not hang on the caller's connection [J12]; the tool's own time limit ends it.
  const outcome = await callMainTool(tools, tool.name, params.value, new AbortController().signal, powers, { callId: c.get("requestId") })
  switch (outcome.kind) {
    case "unknown":
      return refuse(c, NOT_FOUND)
    case "invalid":
      return refuse(c, invalid(outcome.errors.map((e) => ({ pointer: pointerOf(e.path), message: e.message }))))
    case "done": {
      const { content, details = null, isError } = outcome
      const last = child.last()
      if (last?.kind === "failed" && last.runId === undefined) return refuse(c, { code: "not_started", detail: last.message })
      if (SEED_SHAPED.has(tool.name) && !isError) return c.json(details)
      return c.json({ content, details, ...(isError ? { isError: true } : {}) }, last?.kind === "waiting" ? 202 : 200)
    }
  }
}

const pointerOf = (path: string): string => (path === "" || path.startsWith("/") ? path : path.split(".").map(pointerStep).join(""))

/** The tool turns a child that waits, or never began, into text for a model; HTTP says it by its status. */
function overheard(subagents: Subagents): Subagents & { last(): SubagentResult | undefined } {
  let last: SubagentResult | undefined
  return {
    async run(request) {
      last = await subagents.run(request)
      return last
    },
    last: () => last,
  }
}

const none = (): Promise<never> => Promise.reject(new Error("there is no workspace outside a run"))
const NO_WORKSPACE: Workspace = { stat: none, read: none, list: none, write: none }

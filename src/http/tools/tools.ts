// Tools for a caller outside a run, the "main session" [T2]: what there is and why not, and one call of one tool.
//
// The authoring tools answer the seed's shapes bare, every other tool `{content, details, isError?}`; a tool that fails is a 200.

import { isObject, type JsonObject } from "../../core/json.ts"
import { absence, barred, unlisted } from "../../core/policy/main-gate.ts"
import { callMainTool } from "../../engine/run/execute-tool.ts"
import { knownFirst } from "../../engine/run/tool-secrets.ts"
import { specOf } from "../../engine/catalog/registered-tools.ts"
import type { ToolSpec } from "../../core/tool/tool-spec.ts"
import { writes } from "../../core/tool/reach.ts"
import { validateArgs } from "../../core/schema/validate-args.ts"
import type { Trace } from "../../core/trace.ts"
import type { Scope, TenantHouse } from "../../ports/house.ts"
import type { Subagents, SubagentResult, Tool } from "../../ports/tool.ts"
import type { OpenWorkspace, Workspace } from "../../ports/workspace.ts"
import { err, ok, type Result } from "../../core/result.ts"
import { askOutside } from "../runs/inbox.ts"
import { parseJson } from "../middleware/body.ts"
import { param, routes, type Call } from "../middleware/call.ts"
import { lacks } from "../middleware/door.ts"
import { keyOf } from "../middleware/idempotency.ts"
import { pointerStep } from "../../core/text/pointer.ts"
import { invalid, NOT_FOUND, refuse, type Refusal } from "../middleware/problem.ts"
import { page } from "../middleware/page.ts"
import { tools as declared } from "../../api/tools.ts"

/** Tools whose details are the whole answer, in the seed's shapes. */
const SEED_SHAPED: ReadonlySet<string> = new Set(["agent_catalog", "agent_write", "flow_write"])
/** What a call needs beyond tools:call: writing a definition by a tool is writing it. */
const NEEDS: ReadonlyMap<string, Scope> = new Map([
  ["agent_write", "catalog:write"],
  ["flow_write", "catalog:write"],
])

/** Answered by a person, not by a handler: the tenant's inbox. */
const ASK = "ask_user"

function whyNot(c: Call, tool: ToolSpec): string | undefined {
  if (tool.name === ASK) return undefined
  const missing = c.get("house").missing?.get(tool.name)
  if (missing !== undefined) return missing
  if (!tool.contexts.includes("main")) return "only in an agent's session"
  const scope = NEEDS.get(tool.name)
  return scope === undefined || c.get("caller").scopes.includes(scope) ? undefined : `the key lacks the scope ${scope}`
}

/** A tool as lists show it. */
export function rowOf(tool: ToolSpec): JsonObject {
  const { name, label, description, parameters, effect, untrusted = false, contexts } = tool
  return { name, ...(label === undefined ? {} : { label }), description, parameters, effect, untrusted, contexts: [...contexts] }
}

export async function listTools(c: Call): Promise<Response> {
  const { tools, others = [] } = c.get("house")
  const { settings, registered } = c.get("tenant")
  const [own, rules] = await Promise.all([registered.registered(), settings.rules()])
  const all = [...tools, ...own.map(({ def }) => specOf(def)), ...others]
  const rows = all.map((tool) => {
    const reason = whyNot(c, tool) ?? absence(tool, rules)
    return reason === undefined ? { ...rowOf(tool), available: true } : { ...rowOf(tool), available: false, reason }
  })
  // [T25] What this Worker could not offer to anybody stands only in the list that explains.
  const shown = new Set(all.map(({ name }) => name))
  const absent = c.req.query("explain") === "1" ? [...(c.get("house").missing ?? [])].filter(([name]) => !shown.has(name)) : []
  return page(c, [...rows, ...absent.map(([name, reason]) => ({ name, available: false, reason }))])
}

export async function callTool(c: Call): Promise<Response> {
  const { tools } = c.get("house")
  const name = param(c, "tool")
  const question = c.get("house").others?.find((t) => t.name === ASK && name === ASK)
  if (question) return askOutside(c, question)
  const house = c.get("tenant")
  const tool = tools.find((t) => t.name === name) ?? (await ownTool(house, name))
  if (!tool?.contexts.includes("main")) return refuse(c, NOT_FOUND)
  const missing = c.get("house").missing?.get(name)
  if (missing !== undefined) return refuse(c, { code: "not_configured", detail: `${name} ${missing}` })
  const scope = NEEDS.get(tool.name)
  const forbidden = scope === undefined ? undefined : lacks(c, scope)
  if (forbidden) return forbidden
  const params = parseJson(c)
  if (!params.ok) return refuse(c, params.error)
  if (!isObject(params.value)) return refuse(c, invalid([{ pointer: "", message: "must be a JSON object: the tool's arguments" }]))

  const rules = await house.settings.rules()
  const barrier = unlisted(tool, rules)
  if (barrier) return refuse(c, { code: barrier.code, detail: barrier.reason })
  const redactor = await house.secrets.redactor()
  const said = redactor.json(params.value)
  const args = validateArgs(tool.parameters, said)
  const gate = args.ok ? barred(tool, args.value, rules) : undefined
  if (gate) return refuse(c, { code: gate.code, detail: gate.reason })

  // [J11] What was begun under this key and may not be done twice is not sent again.
  if (c.get("unsure") && tool.idempotent !== true && writes(tool, args.ok ? args.value : {})) {
    const detail = `${name} was called under this Idempotency-Key, and its answer was lost: nobody knows what came of it. Look before you call it again, then take a fresh key.`
    return refuse(c, { code: "outcome_unknown", detail })
  }

  const named = await workspaceOf(c, tool)
  if (!named.ok) return refuse(c, named.error)
  const child = recordingSubagents(house.subagents, { key: keyOf(c), trace: c.get("trace") })
  let known = redactor
  const powers = {
    ...house.powers(new URL(c.req.url).origin),
    ...knownFirst(house.secrets.of(tool), async () => void (known = await house.secrets.redactor())),
    workspace: named.value?.workspace ?? NO_WORKSPACE,
    skills: await house.skills(),
    author: house.tenant,
    subagents: child,
  }
  // Never aborted: work does not hang on the caller's connection [J12]; the tool's own time limit ends it.
  const { max_timeout: maxTimeout } = rules.policy
  const deps = { callId: c.get("act") ?? c.get("requestId"), redactor: () => known, ...(maxTimeout === undefined ? {} : { maxTimeout }) }
  const outcome = await callMainTool([tool], { name: tool.name, params: said, signal: new AbortController().signal, powers }, deps)
  switch (outcome.kind) {
    case "unknown":
      return refuse(c, NOT_FOUND)
    case "invalid":
      return refuse(c, invalid(outcome.errors.map((e) => ({ pointer: pointerOf(e.path), message: e.message }))))
    case "done": {
      const { content, details = null, isError } = outcome
      const clash = isError ? undefined : await named.value?.commit()
      if (clash !== undefined) return c.json({ content: [{ type: "text", text: clash }], details: {}, isError: true })
      const last = child.last()
      if (last?.kind === "failed" && last.runId === undefined && last.sessionId === undefined)
        return refuse(c, { code: "not_started", detail: last.message })
      if (SEED_SHAPED.has(tool.name) && !isError) return c.json(details)
      return c.json({ content, details, ...(isError ? { isError: true } : {}) }, last?.kind === "waiting" ? 202 : 200)
    }
  }
}

async function ownTool({ registered, toolOf }: TenantHouse, name: string): Promise<Tool | undefined> {
  const found = (await registered.registered()).find((tool) => tool.name === name)
  return found && toolOf(found.def)
}

const pointerOf = (path: string): string => (path === "" || path.startsWith("/") ? path : path.split(".").map(pointerStep).join(""))

interface StartContext {
  readonly key: string | undefined
  readonly trace: Trace | undefined
}

/** Starts agents for one request and records the last result: the tool turns a run that waits, or never began, into text for a model, but
 *  the HTTP answer needs a status. */
function recordingSubagents(subagents: Subagents, { key, trace }: StartContext): Subagents & { last(): SubagentResult | undefined } {
  let last: SubagentResult | undefined
  return {
    async run(request) {
      last = await subagents.run({ ...request, ...(key === undefined ? {} : { key }), ...(trace === undefined ? {} : { trace }) })
      return last
    },
    last: () => last,
  }
}

/** `?workspace=NAME`: the tenant's files that the call works on, for a caller outside a run has no others [T20]. */
async function workspaceOf(c: Call, tool: Tool): Promise<Result<OpenWorkspace | undefined, Refusal>> {
  const name = c.req.query("workspace")
  if (name === undefined) {
    if (tool.groups?.includes("fs") !== true && tool.same !== "bash") return ok(undefined)
    return err(invalid([{ pointer: "/workspace", message: "is missing: outside a run, say ?workspace=NAME for the files to work on" }]))
  }
  const named = await c.get("tenant").workspaces.open(name)
  if (named) return ok(named)
  return err(invalid([{ pointer: "/workspace", message: "is no name: 1 to 64 letters, digits, - and _, the first of them no mark" }]))
}

const none = (): Promise<never> => Promise.reject(new Error("there is no workspace outside a run"))
const NO_WORKSPACE: Workspace = {
  stat: none,
  read: none,
  list: none,
  write: none,
  remove: none,
  refusal: () => "there is no workspace outside a run",
}

export const TOOL_ROUTES = routes(declared, { listTools, callTool })

// Serves tools to a caller outside a run, the "main session" [T2]: lists them with the reasons why some cannot be called, and calls one.
//
// The authoring tools return only their details, every other tool `{content, details, isError?}`. A tool that fails is a 200.

import { isObject, type JsonObject } from "../../core/json.ts"
import { absence, barred, unlisted } from "../../core/tool/policy/main-gate.ts"
import { callMainTool } from "../../engine/run/call/execute-tool.ts"
import { knownFirst } from "../../engine/run/call/tool-secrets.ts"
import { specOf } from "../../engine/catalog/registered-tools.ts"
import type { Rules } from "../../core/tool/policy/policy.ts"
import type { HttpToolDef, ToolDef } from "../../core/tool/tool-def.ts"
import type { Reach, ToolSpec } from "../../core/tool/tool-spec.ts"
import { writes } from "../../core/tool/reach.ts"
import { validateArgs } from "../../core/schema/validate-args.ts"
import type { Trace } from "../../core/trace.ts"
import type { Scope, TenantServices } from "../../ports/services.ts"
import type { Subagents, SubagentResult, Tool } from "../../ports/tool.ts"
import type { OpenWorkspace, Workspace } from "../../ports/workspace.ts"
import { err, ok, type Result } from "../../core/result.ts"
import { askOutside } from "../runs/answers/inbox.ts"
import { absentTool } from "../../core/tool/absent-tool.ts"
import { nearest } from "../../core/text/nearest.ts"
import { addressAt } from "../middleware/address.ts"
import { parseJson } from "../middleware/body.ts"
import { param, routes, type Call } from "../middleware/call.ts"
import { lacks } from "../middleware/door.ts"
import { keyOf } from "../middleware/idempotency.ts"
import { noRoom } from "../middleware/limits.ts"
import { pointerStep } from "../../core/text/pointer.ts"
import { invalid, NOT_FOUND, refuse, type Refusal } from "../middleware/problem.ts"
import { page } from "../middleware/page.ts"
import { tools as declared } from "../../api/tools.ts"
import { defined } from "../../core/defined.ts"
import { cleanJson } from "../../engine/run/arrival.ts"

/** Tools whose details are the whole answer. */
const SEED_SHAPED: ReadonlySet<string> = new Set(["agent_catalog", "agent_write", "flow_write"])
/** What a call needs beyond tools:call [H1]: the scope of the route that does the same. */
const NEEDS: ReadonlyMap<string, Scope> = new Map([
  ["agent_write", "catalog:write"],
  ["flow_write", "catalog:write"],
  ["skill_read", "catalog:read"],
  ["sessions.list", "runs:read"],
  ["sessions.delete", "runs:write"],
  ["subagent", "runs:write"],
])

/** No handler runs this tool: a person answers in the tenant's inbox. */
const ASK = "ask_user"

function whyNot(c: Call, tool: ToolSpec): string | undefined {
  if (tool.name === ASK) return undefined
  const missing = c.get("services").missing?.get(tool.name)
  if (missing !== undefined) return missing
  if (!tool.contexts.includes("main")) return "only in an agent's session"
  const scope = NEEDS.get(tool.name)
  return scope === undefined || c.get("caller").scopes.includes(scope) ? undefined : `the key lacks the scope ${scope}`
}

/** A tool's row in lists. */
export function rowOf(tool: ToolSpec): JsonObject {
  const { name, label, description, parameters, effect, untrusted = false, contexts, render } = tool
  const look = render === undefined ? {} : { render: render as JsonObject }
  return { ...look, name, ...defined({ label }), description, parameters, effect, untrusted, contexts: [...contexts] }
}

/** The tool as a list shows it, and whether this key can call it here. */
function shown(c: Call, tool: ToolSpec, rules: Rules, def?: ToolDef): JsonObject {
  const reason = whyNot(c, tool) ?? absence(tool, rules)
  const source = def && { kind: def.kind, name: def.kind === "mcp" ? def.server : hostOf(def) }
  const more = c.get("caller").scopes.includes("admin") ? { judged: judgedBy(tool), ...defined({ source }) } : {}
  const row = { ...rowOf(tool), ...more }
  return reason === undefined ? { ...row, available: true } : { ...row, available: false, reason }
}

/** Scheme and host of a request are fixed. */
const hostOf = ({ request }: HttpToolDef): string => new URL(request.url.replace(/\$\{\{[^}]*\}\}/g, "x")).host

/** What the policy reads of a tool, for a page that judges recorded calls by a changed one [T30]. */
const judgedBy = ({ same, groups, approval, reach }: ToolSpec): JsonObject =>
  defined({ same, groups: groups && [...groups], approval, reach: reach && reachOf(reach) })

const reachOf = ({ to, method, headers }: Reach): JsonObject => ({
  ...defined({ to: to && { ...to } }),
  method: { ...method },
  ...defined({ headers: headers && { ...headers } }),
})

/** The definition of one tool. A key that may register tools also sees what a tool was registered with. */
export async function getTool(c: Call): Promise<Response> {
  const { tools, others = [], missing } = c.get("services")
  const { settings, registered } = c.get("tenant")
  const name = param(c, "tool")
  const rules = await settings.rules()
  const builtIn = [...tools, ...others].find((tool) => tool.name === name)
  if (builtIn) return c.json(shown(c, builtIn, rules))
  const own = (await registered.registered()).find((tool) => tool.name === name)
  if (own) return c.json({ ...(c.get("caller").scopes.includes("admin") ? own.def : {}), ...shown(c, specOf(own.def), rules, own.def) })
  const reason = missing?.get(name)
  return reason === undefined ? refuse(c, await unknownTool(c, name)) : c.json({ name, available: false, reason })
}

export async function listTools(c: Call): Promise<Response> {
  const { tools, others = [] } = c.get("services")
  const { settings, registered } = c.get("tenant")
  const [own, rules] = await Promise.all([registered.registered(), settings.rules()])
  const registeredRows = own.map(({ def }) => shown(c, specOf(def), rules, def))
  const rows = [...tools.map((tool) => shown(c, tool, rules)), ...registeredRows, ...others.map((tool) => shown(c, tool, rules))]
  // [T25] Only `?explain=1` lists tools that this Worker cannot offer to any caller.
  const listed = new Set<unknown>(rows.map((row) => row["name"]))
  const absent = c.req.query("explain") === "1" ? [...(c.get("services").missing ?? [])].filter(([name]) => !listed.has(name)) : []
  return page(c, [...rows, ...absent.map(([name, reason]) => ({ name, available: false, reason }))])
}

export async function callTool(c: Call): Promise<Response> {
  const { tools } = c.get("services")
  const name = param(c, "tool")
  const question = c.get("services").others?.find((t) => t.name === ASK && name === ASK)
  if (question) return askOutside(c, question)
  const tenant = c.get("tenant")
  const tool = tools.find((t) => t.name === name) ?? (await ownTool(tenant, name))
  const missing = c.get("services").missing?.get(name)
  if (missing !== undefined) return refuse(c, { code: "not_configured", detail: absentTool(name, { reason: missing }) })
  if (!tool?.contexts.includes("main")) return refuse(c, await unknownTool(c, name))
  const scope = NEEDS.get(tool.name)
  const forbidden = scope === undefined ? undefined : lacks(c, scope)
  if (forbidden) return forbidden
  const params = parseJson(c)
  if (!params.ok) return refuse(c, params.error)
  if (!isObject(params.value)) return refuse(c, invalid([{ pointer: "", message: "must be a JSON object: the tool's arguments" }]))

  const rules = await tenant.settings.rules()
  const barrier = unlisted(tool, rules)
  if (barrier) return refuse(c, { code: barrier.code, detail: barrier.reason })
  const redactor = await tenant.secrets.redactor()
  const said = await cleanJson(params.value, redactor)
  const args = validateArgs(tool.parameters, said)
  const gate = args.ok ? barred(tool, args.value, rules) : undefined
  if (gate) return refuse(c, { code: gate.code, detail: gate.reason })

  // [J11] A call that was started under this key and must not run twice is not repeated.
  if (c.get("unsure") && tool.idempotent !== true && writes(tool, args.ok ? args.value : {})) {
    const detail = `${name} was called under this Idempotency-Key, but its answer was lost and the outcome is unknown. Check what it did, then use a new key to call it again.`
    return refuse(c, { code: "outcome_unknown", detail })
  }

  const named = await workspaceOf(c, tool)
  if (!named.ok) return refuse(c, named.error)
  const child = recordingSubagents(tenant.subagents, { key: keyOf(c), trace: c.get("trace") })
  let known = redactor
  const powers = {
    ...tenant.powers(addressAt(c, "")),
    ...knownFirst(tenant.secrets.of(tool), async () => void (known = await tenant.secrets.redactor())),
    workspace: named.value?.workspace ?? NO_WORKSPACE,
    skills: await tenant.skills(),
    author: tenant.catalog,
    subagents: child,
  }
  // Never aborted: the call does not depend on the caller's connection [J12]; the tool's own timeout ends it.
  const { max_timeout: maxTimeout } = rules.policy
  const deps = { callId: c.get("act") ?? c.get("requestId"), redactor: () => known, ...defined({ maxTimeout }) }
  const outcome = await callMainTool([tool], { name: tool.name, params: said, signal: new AbortController().signal, powers }, deps)
  switch (outcome.kind) {
    case "unknown":
      return refuse(c, await unknownTool(c, name))
    case "invalid":
      return refuse(c, invalid(outcome.errors.map((e) => ({ pointer: pointerOf(e.path), message: e.message }))))
    case "done": {
      const { content, details = null, isError } = outcome
      // Nobody knows whether it began: a text for a model would be kept as the answer [H4].
      child.check()
      const clash = isError ? undefined : await named.value?.commit()
      if (clash !== undefined) return c.json({ content: [{ type: "text", text: clash }], details: {}, isError: true })
      const last = child.last()
      if (last?.kind === "failed" && last.noRoom !== undefined) return refuse(c, noRoom(last.noRoom))
      if (last?.kind === "failed" && last.runId === undefined && last.sessionId === undefined)
        return refuse(c, { code: "not_started", detail: last.message })
      if (SEED_SHAPED.has(tool.name) && !isError) return c.json(details)
      return c.json({ content, details, ...(isError ? { isError: true } : {}) }, last?.kind === "waiting" ? 202 : 200)
    }
  }
}

/** [T25] */
async function unknownTool(c: Call, name: string): Promise<Refusal> {
  const { tools, others = [] } = c.get("services")
  if ([...tools, ...others].some((tool) => tool.name === name))
    return { ...NOT_FOUND, detail: `The tool ${name} is for agents: only a session in a run can call it.` }
  const own = await c.get("tenant").registered.registered()
  const near = nearest(
    name,
    [...tools, ...own].map((tool) => tool.name),
  )
  // Without a near name it is the one 404 that says nothing [H2].
  return near === undefined ? NOT_FOUND : { ...NOT_FOUND, detail: absentTool(name, { near }) }
}

async function ownTool({ registered, toolOf }: TenantServices, name: string): Promise<Tool | undefined> {
  const found = (await registered.registered()).find((tool) => tool.name === name)
  return found && toolOf(found.def)
}

const pointerOf = (path: string): string => (path === "" || path.startsWith("/") ? path : path.split(".").map(pointerStep).join(""))

interface StartContext {
  readonly key: string | undefined
  readonly trace: Trace | undefined
}

interface RecordedSubagents extends Subagents {
  last(): SubagentResult | undefined
  /** Throws what the last start threw: the fault of an object, not of the request. */
  check(): void
}

/** Starts agents for one request and records the last result: the tool turns a run that waits, or never started, into text for a model, but
 *  the HTTP answer needs a status. */
function recordingSubagents(subagents: Subagents, { key, trace }: StartContext): RecordedSubagents {
  let last: SubagentResult | undefined
  let check = (): void => {}
  return {
    async run(request) {
      try {
        last = await subagents.run({ ...request, ...defined({ key, trace }) })
        return last
      } catch (e) {
        check = () => {
          throw e
        }
        throw e
      }
    },
    last: () => last,
    check: () => check(),
  }
}

/** `?workspace=NAME`: the tenant's files that the call works on; outside a run there are no others [T20]. */
async function workspaceOf(c: Call, tool: Tool): Promise<Result<OpenWorkspace | undefined, Refusal>> {
  const name = c.req.query("workspace")
  if (name === undefined) {
    if (tool.groups?.includes("fs") !== true && tool.same !== "bash") return ok(undefined)
    return err(invalid([{ pointer: "/workspace", message: "is required: outside a run, name the files to work on as ?workspace=NAME" }]))
  }
  const named = await c.get("tenant").workspaces.open(name)
  if (named) return ok(named)
  return err(invalid([{ pointer: "/workspace", message: 'must be 1–64 letters, digits, "-" or "_", and start with a letter or digit' }]))
}

const none = (): Promise<never> => Promise.reject(new Error("there is no workspace outside a run"))
const NO_WORKSPACE: Workspace = {
  stat: none,
  read: none,
  list: none,
  survey: none,
  named: () => {},
  write: none,
  remove: none,
  refusal: () => "there is no workspace outside a run",
}

export const TOOL_ROUTES = routes(declared, { listTools, getTool, callTool })

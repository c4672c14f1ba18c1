// flow_results: shows results of earlier runs to the agent at the other end of an MCP session [H12]. It reads over the API with the rights
// of the key.

import type { CallToolResult } from "@modelcontextprotocol/server"
import { z } from "zod"
import type { JsonObject } from "../core/json.ts"
import { validateArgs } from "../core/schema/validate-args.ts"
import type { ToolSpec } from "../core/tool/tool-spec.ts"
import type { McpCall } from "../ports/services.ts"
import { errorText, refused } from "./call-tool.ts"
import { setOutValue } from "../core/outside/set-out.ts"

const MAX_TEXT = 10_000 // limit: characters of an answer of flow_results → the rest is read over HTTP
const MAX_RUNS = 50 // limit: runs that flow_results looks at → older ones are named by their id

export const flowResults: ToolSpec = {
  name: "flow_results",
  label: "Results of flows",
  description:
    "Reads what earlier runs found. list: the latest run of each flow; runs: the latest runs, of one flow if given; summary: each step of a run; agent: the whole result of one agent or step of a run. Without run, the latest run of the flow is meant.",
  parameters: {
    type: "object",
    properties: {
      action: { type: "string", enum: ["list", "runs", "summary", "agent"], description: "What to read." },
      flow: { type: "string", minLength: 1, maxLength: 300, description: "A flow's id." },
      run: { type: "string", minLength: 1, maxLength: 64, description: "A run's id." },
      agent: { type: "string", minLength: 1, maxLength: 256, description: "agent only: the name of an agent, or the id of a step." },
    },
    required: ["action"],
    additionalProperties: false,
  },
  effect: "read",
  contexts: ["main"],
  untrusted: true,
}

const Row = z.object({ id: z.string(), flow: z.string(), status: z.string(), created: z.string() })
const Rows = z.object({ data: z.array(Row) })
const Step = z.looseObject({ status: z.string(), agent: z.string().optional(), summary: z.string().optional() })
const View = z.looseObject({
  ...Row.shape,
  steps: z.record(z.string(), Step),
  output: z.unknown().optional(),
  error: z.unknown().optional(),
})
const Args = z.object({
  action: z.enum(["list", "runs", "summary", "agent"]),
  flow: z.string().optional(),
  run: z.string().optional(),
  agent: z.string().optional(),
})

export async function readResults(call: McpCall, given: JsonObject): Promise<CallToolResult> {
  const valid = validateArgs(flowResults.parameters, given)
  if (!valid.ok) return errorText(`invalid: ${valid.error.map(({ path, message }) => `${path} ${message}`.trim()).join("; ")}`)
  const { action, flow, run, agent } = Args.parse(valid.value)
  if (action === "list" || action === "runs") {
    const rows = await latest(call, action === "runs" || flow !== undefined ? flow : undefined)
    if (!Array.isArray(rows)) return rows
    const seen = new Set<string>()
    const shown = action === "runs" ? rows : rows.filter((row) => !seen.has(row.flow) && seen.add(row.flow))
    return answered(shown.map((row) => `${row.flow}: ${row.status}, ${row.created}, run ${row.id}`).join("\n") || "There are no runs.", {
      runs: shown,
    })
  }
  const id = run ?? (flow === undefined ? undefined : await latest(call, flow))
  if (id === undefined) return errorText(`invalid: ${action} needs run or flow; list shows which flows have runs`)
  const found = typeof id === "string" ? id : Array.isArray(id) ? id[0]?.id : id
  if (found === undefined) return errorText(`not_found: the flow ${flow ?? ""} has no runs`)
  if (typeof found !== "string") return found
  const answer = await call.ask("GET", `/v1/runs/${encodeURIComponent(found)}`)
  if (!answer.ok) return refused(answer)
  const view = View.parse(await answer.json())
  return action === "summary" ? summaryOf(view) : resultOf(view, agent)
}

async function latest(call: McpCall, flow: string | undefined): Promise<z.infer<typeof Row>[] | CallToolResult> {
  const of = flow === undefined ? "" : `&flow=${encodeURIComponent(flow)}`
  const answer = await call.ask("GET", `/v1/runs?limit=${MAX_RUNS}${of}`)
  return answer.ok ? Rows.parse(await answer.json()).data : refused(answer)
}

type View = z.infer<typeof View>

function summaryOf({ id, flow, status, created, steps, output = null, error = null }: View): CallToolResult {
  const lines = Object.entries(steps).map(
    ([step, { status: how, summary = "" }]) => `- ${step}: ${how}${summary === "" ? "" : `: ${summary}`}`,
  )
  const fault = error === null ? "" : `\nError: ${JSON.stringify(error)}`
  return answered(`${flow}: ${status}, run ${id}\n${lines.join("\n")}${fault}`, {
    run: id,
    flow,
    status,
    created,
    ...(isShort(output) ? { output } : {}),
  })
}

/** The step that ended last, where an agent has several. */
function resultOf({ id, steps }: View, agent: string | undefined): CallToolResult {
  const known = `The steps of the run ${id} are: ${Object.entries(steps)
    .map(([step, of]) => (of.agent === undefined ? step : `${step} (${of.agent})`))
    .join(", ")}`
  if (agent === undefined) return errorText(`invalid: agent is required. ${known}`)
  const named = Object.entries(steps).filter(([step, of]) => step === agent || of.agent === agent)
  const [step, result] = named.find(([name]) => name === agent) ?? named.sort(([, a], [, b]) => (endOf(a) < endOf(b) ? 1 : -1))[0] ?? []
  if (step === undefined || result === undefined) return errorText(`not_found: there is no agent or step ${agent}. ${known}`)
  const { summary = "", ...about } = result
  // What it wrote, last: the rest is short, and must not be cut off.
  return answered(`${setOutValue({ step, ...about })}\n\n${summary}`, { run: id, step, status: result.status })
}

const endOf = (step: z.infer<typeof Step>): string => (typeof step["ended"] === "string" ? step["ended"] : "")

function answered(whole: string, structured: Record<string, unknown>): CallToolResult {
  const cut = `${whole.slice(0, MAX_TEXT)}\n[${whole.length - MAX_TEXT} more characters: GET /v1/runs/{run} has all of it]`
  const text = whole.length > MAX_TEXT ? cut : whole
  return { content: [{ type: "text", text }], structuredContent: structured }
}

/** A long output is in the run, which is a resource. */
const isShort = (value: unknown): boolean => JSON.stringify(value).length <= MAX_TEXT

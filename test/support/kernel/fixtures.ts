// The fixture folders: comments in each file name its diagnostics, `# expect CODE error|warning line N`, with ` x M` for M of
// them. test/fixtures/codes has one file for each code, with the code as its name.

import { checkConfig } from "../../../src/engine/catalog/config/config-value.ts"
import { readdirSync, readFileSync } from "node:fs"
import type { Diagnostic } from "../../../src/core/diagnostic.ts"
import type { Agent } from "../../../src/core/flow/agent.ts"
import type { ToolTraits } from "../../../src/core/flow/check/check-trifecta.ts"
import { validateFlow, type FlowWorld } from "../../../src/core/language/check-flow.ts"
import { faceOf, type FlowFace } from "../../../src/core/flow/flow-face.ts"
import { parseAgent, type AgentWorld } from "../../../src/core/language/parse-agent.ts"
import { parseFlow } from "../../../src/core/language/parse-flow.ts"
import { parseSkill } from "../../../src/core/language/parse-skill.ts"
import type { KnownOutputs } from "../../../src/core/case/known-outputs.ts"
import type { Finisher } from "../../../src/core/case/finish-faults.ts"
import { builtInScorer } from "../../../src/core/score/built-in.ts"
import { parseTests } from "../../../src/core/case/parse-tests.ts"
import { isBare } from "../../../src/core/score/judge-agent.ts"
import type { Scorer } from "../../../src/core/flow/scorer.ts"
import { parseScorer } from "../../../src/core/score/parse-scorer.ts"
import { parseRehearsal } from "../../../src/core/case/rehearsal.ts"

export interface Fixture {
  /** The file name without its extension. */
  readonly name: string
  readonly text: string
  readonly expected: readonly string[]
}

const EXPECT = /^# expect (\S+) (error|warning) line (\d+)(?: x (\d+))?\s*$/gm

export function fixtures(folder: string): Fixture[] {
  const root = new URL(`../../fixtures/${folder}/`, import.meta.url)
  return readdirSync(root).map((file) => {
    const text = readFileSync(new URL(file, root), "utf8")
    const expected = [...text.matchAll(EXPECT)].flatMap(([, code = "", severity = "", line = "", times = "1"]) =>
      Array.from({ length: Number(times) }, () => `${line} ${severity} ${code}`),
    )
    return { name: file.replace(/\.(?:md|yaml)$/, ""), text, expected: expected.toSorted() }
  })
}

export const seen = (list: readonly Diagnostic[]): string[] => list.map((d) => `${d.line} ${d.severity} ${d.code}`).toSorted()

const FETCH: ToolTraits = {
  name: "web.fetch",
  contexts: ["agent"],
  untrusted: true,
  reach: { to: { arg: "url" }, method: { arg: "method", fallback: "GET" } },
  parameters: {
    type: "object",
    properties: { url: { type: "string" }, method: { enum: ["GET", "POST"] } },
    required: ["url"],
    additionalProperties: false,
  },
}
const NOTES: ToolTraits = { name: "memory.read", contexts: ["agent"], private: true }
const SEND: ToolTraits = { name: "send", contexts: ["agent"], reach: { method: { fixed: "POST" } } }

/** No agent has it that does not name it. */
const ORDER: ToolTraits = {
  name: "shop.order",
  contexts: [],
  untrusted: true,
  private: true,
  reach: { to: { host: "shop.example.com" }, method: { fixed: "GET" } },
}

export const WORLD: AgentWorld = {
  tools: new Set(["read", "write", "edit", "grep", "find", "ls", "web.fetch", "memory.read", "send", "shop.order"]),
  skills: new Set(["docs", "style"]),
  traits: [{ name: "read", contexts: ["agent"], paths: { read: ["path"] } }, NOTES, FETCH, SEND, ORDER],
}

/** The valid fixture agents: the catalog of the fixture flows. */
export function catalog(): ReadonlyMap<string, Agent> {
  return new Map(
    fixtures("agents/valid").map(({ name, text }) => {
      const { agent, diagnostics } = parseAgent(text, { ...WORLD, file: name })
      if (agent === undefined) throw new Error(`fixture agent ${name}: ${JSON.stringify(diagnostics)}`)
      return [name, agent]
    }),
  )
}

/** The valid fixture flows as children, and `nest-1` … `nest-6`, each of which runs the next. */
export function children(): ReadonlyMap<string, FlowFace> {
  const faces = fixtures("flows/valid").flatMap(({ name, text }): [string, FlowFace][] => {
    const { flow } = parseFlow(text, name)
    return flow === undefined ? [] : [[name, faceOf(flow)]]
  })
  const nest = [1, 2, 3, 4, 5, 6].map((n): [string, FlowFace] => [
    `nest-${n}`,
    { inputs: {}, outputs: [], uses: n === 6 ? [] : [{ step: "next", flow: `nest-${n + 1}`, type: "flow-ref", always: true }] },
  ])
  return new Map([...faces, ...nest])
}

let valid: FlowWorld | undefined

/** The diagnostics of a fixture of test/fixtures/codes, by the kind of file that its code belongs to. */
export function judge({ name, text }: Pick<Fixture, "name" | "text">): readonly Diagnostic[] {
  if (name.startsWith("av-")) return parseAgent(text, { ...WORLD, file: name }).diagnostics
  if (name.startsWith("sv-")) return parseSkill(text, name).diagnostics
  if (name.startsWith("rv-")) return parseRehearsal(text, ["a"], WORLD.tools, finisher()).diagnostics
  if (name.startsWith("tv-"))
    return parseTests(text, { steps: ["a"], tools: WORLD.tools, finisher: finisher(), outputs: OUTPUTS, scorers: builtInScorer })
      .diagnostics
  // Of a dataset's file [V31].
  if (name.startsWith("ev-row")) return checkConfig("dataset", "x", text).diagnostics
  if (name.startsWith("ev-")) return parseScorer(text, { agents: bareAgents(), hasHandler: false }).diagnostics
  const tools = new Map([...(WORLD.traits ?? [])].map((tool) => [tool.name, tool]))
  valid ??= { agents: catalog(), flows: children(), code: new Set(["stored", "sum.d"]), tools, scorers: judges }
  return validateFlow(text, name, valid).diagnostics
}

const OUTPUTS: KnownOutputs = { flow: ["verdict"], step: () => ["result"], branches: () => undefined }

/** A scorer for each agent, that it judges; `half` gives 0.5 at most. */
function judges(name: string): Scorer | undefined {
  if (!catalog().has(name) && name !== "half") return undefined
  const most = name === "half" ? 0.5 : 1
  const levels = [
    { score: 0, text: "no" },
    { score: most, text: "yes" },
  ]
  return {
    name,
    description: name,
    kind: "judge",
    files: [],
    judge: { rubric: "Good?", levels, agent: name, model: "@default", calls: false },
  }
}

const bareAgents = (): ReadonlyMap<string, boolean> =>
  new Map([["score-judge", true], ...[...catalog()].map(([name, agent]) => [name, isBare(agent)] as const)])

/** The step `a` is of the agent `worker`. */
function finisher(): Finisher {
  const agent = catalog().get("worker")
  return (name) =>
    name === "a" && agent ? { agent, step: { id: "a", type: "agent", agent: "worker", blockedBy: [], inputs: {} } } : undefined
}

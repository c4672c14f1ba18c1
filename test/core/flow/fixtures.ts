// The fixture folders: each file says in comments what is wrong with it, `# expect CODE error|warning line N`.

import { readdirSync, readFileSync } from "node:fs"
import type { Diagnostic } from "../../../src/core/diagnostic.ts"
import type { Agent } from "../../../src/core/flow/agent.ts"
import { parseAgent, type AgentWorld } from "../../../src/core/flow/parse-agent.ts"

export interface Fixture {
  readonly name: string
  readonly text: string
  readonly expected: readonly string[]
}

export function fixtures(folder: string): Fixture[] {
  const root = new URL(`../../fixtures/${folder}/`, import.meta.url)
  return readdirSync(root).map((file) => {
    const text = readFileSync(new URL(file, root), "utf8")
    const expected = [...text.matchAll(/^# expect (\S+) (error|warning) line (\d+)\s*$/gm)].map(
      (m) => `${m[3] ?? ""} ${m[2] ?? ""} ${m[1] ?? ""}`,
    )
    return { name: file.replace(/\.(?:md|yaml)$/, ""), text, expected: expected.toSorted() }
  })
}

export const seen = (list: readonly Diagnostic[]): string[] => list.map((d) => `${d.line} ${d.severity} ${d.code}`).toSorted()

export const WORLD: AgentWorld = { tools: new Set(["read", "write", "edit", "grep", "find", "ls"]), skills: new Set(["docs", "style"]) }

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

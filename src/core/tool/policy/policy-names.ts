// Finds names in a policy and a gate that match nothing [T30b]: a rule with a misspelled name protects nothing, and nobody notices. A name
// must exist when the rules are written; a pattern without a match may match later, so it is a warning. Stored rules stay in force and are
// not checked again.

import { nearestOf, type Names } from "../../text/name-index.ts"
import { pointerStep, short } from "../../text/pointer.ts"
import type { GateSetting } from "./gate-setting.ts"
import type { Policy, ToolRules } from "./policy.ts"
import type { PolicyFault } from "./read-rules.ts"
import { unmadeTool } from "../absent-tool.ts"
import { GROUP_PREFIX, isOfServer, isPattern, matchesGlob, matchesTool, namesOf, outsidePolicy } from "./tool-names.ts"

export interface KnownNames {
  readonly tools: ReadonlySet<string>
  readonly agents: ReadonlySet<string>
  readonly flows: ReadonlySet<string>
  /** Files of tools that have errors of their own; absent: none. */
  readonly unmade?: readonly string[]
  /** Absent: unknown, as for a folder that is judged offline. */
  readonly providers?: readonly string[]
}

export interface NameFault extends PolicyFault {
  readonly isWarning?: true
}

const MOST_FAULTS = 100 // limit: faults told of one policy → further ones are not told
const MOST_PATTERNS = 200 // limit: patterns of a policy that are compared with every tool → a further one counts as one that matches

export function policyNameFaults(policy: Policy, known: KnownNames): readonly NameFault[] {
  const judge = new NameJudge(known)
  const { tools, hooks, denylist, effects = [] } = policy
  judge.toolRules(tools, "/tools")
  for (const [name, rules] of Object.entries(tools.agents)) {
    const at = `/tools/agents${pointerStep(name)}`
    judge.name(name, at, { noun: "agent", names: known.agents })
    judge.toolRules(rules, at)
  }
  for (const [name, rules] of Object.entries(tools.providers)) {
    const at = `/tools/providers${pointerStep(name)}`
    if (known.providers !== undefined) judge.name(name, at, { noun: "provider", names: known.providers }, NOT_YET)
    judge.toolRules(rules, at)
  }
  for (const list of ["confirm", "log", "silent"] as const) judge.tools(hooks[list], `/hooks/${list}`)
  denylist.forEach(({ tool }, i) => judge.tool(tool, `/denylist/${i}/tool`))
  effects.forEach(({ flows }, i) => judge.flow(flows, `/effects/${i}/flows`))
  return judge.faults
}

export function gateNameFaults({ flows = [] }: GateSetting, known: Pick<KnownNames, "flows">): readonly NameFault[] {
  const judge = new NameJudge({ tools: new Set(), agents: new Set(), flows: known.flows })
  flows.forEach(({ match }, i) => judge.flow(match, `/flows/${i}/match`))
  return judge.faults
}

/** A provider may be added after the policy: its rules hold from then on. */
const NOT_YET = "yet, so the rule has no effect until there is one"

interface Things<All> {
  readonly noun: string
  readonly names: All
}

class NameJudge {
  readonly faults: NameFault[] = []
  readonly #things: { readonly tools: Things<ReadonlySet<string>>; readonly flows: Things<ReadonlySet<string>> }
  readonly #unmade: readonly string[] | undefined
  /** Pattern → whether it matches anything. */
  readonly #patterns = new Map<string, boolean>()

  constructor(known: KnownNames) {
    this.#unmade = known.unmade
    const names = new Set([...known.tools].flatMap((name) => namesOf({ name })))
    this.#things = { tools: { noun: "tool", names }, flows: { noun: "flow", names: known.flows } }
  }

  toolRules({ allow = [], deny = [] }: ToolRules, at: string): void {
    this.tools(allow, `${at}/allow`)
    this.tools(deny, `${at}/deny`)
  }

  tools(patterns: readonly string[], at: string): void {
    patterns.forEach((pattern, i) => this.tool(pattern, `${at}/${i}`))
  }

  tool(pattern: string, at: string): void {
    if (pattern.startsWith(GROUP_PREFIX) || outsidePolicy(pattern)) return
    if (isPattern(pattern)) this.#pattern(pattern, at, this.#things.tools, (name) => matchesTool(pattern, { name }))
    // A server may bring the tool later.
    else if (isOfServer(pattern))
      this.name(pattern, at, this.#things.tools, "of a server now, so the rule has no effect until there is one")
    else this.name(pattern, at, this.#things.tools)
  }

  flow(pattern: string, at: string): void {
    if (pattern.includes("*")) this.#pattern(pattern, at, this.#things.flows, (id) => matchesGlob(pattern, id))
    else this.name(pattern, at, this.#things.flows)
  }

  /** `later`: why it may still come, which makes it a warning. */
  name(name: string, at: string, { noun, names: known }: Things<Names>, later?: string): void {
    if ("has" in known ? known.has(name) : known.includes(name)) return
    const near = nearestOf(name, known)
    const unmade = near === undefined && noun === "tool" ? unmadeTool(name, this.#unmade) : undefined
    if (unmade)
      return this.#add({ pointer: at, message: `names no tool yet: ${unmade.message}`, suggestion: unmade.suggestion, isWarning: true })
    const suggestion = near === undefined ? `write the name of a ${noun} that exists, or remove it` : `did you mean "${near}"?`
    if (later === undefined)
      this.#add({ pointer: at, message: `names no ${noun}: there is no ${short(name)}, so the rule would have no effect`, suggestion })
    else this.#add({ pointer: at, message: `names no ${noun} ${later}: ${short(name)}`, suggestion, isWarning: true })
  }

  #pattern(pattern: string, at: string, { noun, names: known }: Things<ReadonlySet<string>>, matches: (name: string) => boolean): void {
    const key = `${noun} ${pattern}`
    if (!this.#patterns.has(key)) this.#patterns.set(key, this.#patterns.size >= MOST_PATTERNS || [...known].some(matches))
    if (this.#patterns.get(key) === true) return
    this.#add({
      pointer: at,
      message: `matches no ${noun} here: ${short(pattern)}`,
      suggestion: `write a pattern that matches a ${noun}, or remove it`,
      isWarning: true,
    })
  }

  #add(fault: NameFault): void {
    if (this.faults.length < MOST_FAULTS) this.faults.push(fault)
  }
}

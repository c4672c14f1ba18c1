// What the check says where a run would fall from one branch into steps that its choice excluded [F15d].

import { expect, test } from "vitest"
import { validateFlow } from "../../../../src/core/language/check-flow.ts"
import { catalog } from "../../../support/kernel/fixtures.ts"

const agents = catalog()
const [agent = ""] = agents.keys()
const flow = (p: string, q: string): string => `name: x
description: d
steps:
  - { id: k, type: agent-decision, agent: ${agent}, branches: { One: p, Two: q } }
  - { id: p, type: wait, for: 1s${p} }
  - { id: q, type: wait, for: 1s${q} }
  - { id: l, type: agent, agent: ${agent} }
`
const falls = (p: string, q: string): [string, string | undefined][] =>
  validateFlow(flow(p, q), "x", { agents }).diagnostics.flatMap((d): [string, string | undefined][] =>
    d.code === "FV-BRANCH-FALL" ? [[d.message, d.suggestion]] : [],
  )

test("[F15d] the advice for one branch does not silently cut off the other: a step that only the first names is reported", () => {
  expect(falls("", "")).toEqual([
    [
      'step "k": after branch "One", "p" is followed by "q", which is another branch; "q" is skipped and the run continues at "l"',
      'on_complete: l on step "p" makes this explicit',
    ],
  ])
  expect(falls(", on_complete: l", "")).toEqual([
    [
      'step "k": after branch "Two", "q" is followed by "l", which only another branch names; "l" is skipped and the run ends',
      'on_complete: l on step "q" to run it here as well',
    ],
  ])
  expect(falls(", on_complete: l", ", on_complete: l")).toEqual([])
})

test("[F15d] a step that belongs to another branch by blockedBy is not a fall", () => {
  const text =
    flow(", on_complete: l", ", on_complete: m").replace("id: l,", "id: l, blockedBy: p,") + `  - { id: m, type: agent, agent: ${agent} }\n`
  expect(validateFlow(text, "x", { agents }).diagnostics.filter((d) => d.code === "FV-BRANCH-FALL")).toEqual([])
})

// What a change of the roles would do.

import { expect, test } from "vitest"
import { changedRoles } from "../../web/setup/changed-roles.ts"

const AGENTS = [
  { id: "helper" },
  { id: "planner", model: "@planning" },
  { id: "judge", model: "@planning:high" },
  { id: "own", model: "a/b" },
]
const NAMES = ["default", "planning", "fast"]

test("[S11] a role names the agents that get another model, and no others", () => {
  expect(changedRoles({ default: "a/x", planning: "a/y" }, { default: "a/x", planning: ["a/z", "a/y"] }, NAMES, AGENTS)).toEqual([
    { role: "planning", before: "a/y", after: "a/z", agents: ["planner", "judge"] },
  ])
})

test("[S11] a role without a model goes with the default one, and is named where an agent has it", () => {
  expect(changedRoles({ default: "a/x" }, { default: "a/w" }, NAMES, AGENTS)).toEqual([
    { role: "default", before: "a/x", after: "a/w", agents: ["helper"] },
    { role: "planning", before: "a/x", after: "a/w", agents: ["planner", "judge"] },
  ])
})

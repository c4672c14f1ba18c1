// Safeguards whose names fit nothing, and the keys of a server of one's own, each with the test that must find its fault.

import type { Mutant } from "./mutant.ts"

const NAMES = "core/tool/policy/policy-names.test.ts"
const RULES = "engine/catalog/config/rule-names.test.ts"

export const KEEPING: readonly Mutant[] = [
  {
    name: "T30b take a misspelt tool in a policy",
    file: "core/tool/policy/policy-names.ts",
    find: `else this.name(pattern, at, this.#things.tools)`,
    put: ``,
    test: [NAMES, "[T30b] hooks.confirm with a name that fits nothing"],
  },
  {
    name: "T30b take an agent's safeguard that guards nothing",
    file: "engine/catalog/check/written.ts",
    find: `severity: "error"`,
    put: `severity: "warning"`,
    test: [RULES, "[T30b] approvals and denials of an agent are refused where they are written"],
  },
  {
    name: "T30b judge a policy file without the names of the catalog",
    file: "engine/catalog/config/config-kinds.ts",
    find: `named(policyNameFaults(policy, around.names()))`,
    put: `[]`,
    test: [RULES, "[T30b] in policy.yaml and gate.yaml they are refused at their lines"],
  },
]

// A start of a flow that is not there says what brings it there.

import { expect, test } from "vitest"
import { missingFlow } from "../../cli/missing-flow.ts"

const names = ["support", "triage"]

test("[H3] a flow that only the folder has is brought by an apply", () => {
  expect(missingFlow("chat", { isHere: true, names })).toMatch(/flows\/chat\.yaml here: sluice apply/)
})
test("[H3] a misspelled flow has a suggestion, and any other the list", () => {
  expect(missingFlow("suport", { isHere: false, names })).toBe('there is no flow "suport" on this server: did you mean "support"?')
  expect(missingFlow("chat", { isHere: false, names })).toMatch(/sluice flows list/)
})

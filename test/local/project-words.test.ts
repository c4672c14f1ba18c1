import { expect, test } from "vitest"
import { inProjectWords } from "../../local/project-words.ts"
import { scopeFaults } from "../../src/engine/catalog/config/surroundings.ts"
import { rendered } from "../../cli/project/places.ts"

test.each([
  ["write it with PUT /v1/secrets/callback", "write it with sluice secrets put callback"],
  ["add the provider with PUT /v1/settings/providers/mock", "add the provider with sluice providers put mock"],
  ["write code/support/sum.ts (PUT /v1/code/support/sum), then start", "write code/support/sum.ts, then start"],
  ["hooks (POST /v1/hooks) and schedules (POST /v1/schedules)", "hooks (hooks/NAME.yaml) and schedules (schedules/NAME.yaml)"],
  ["GET /v1/flows stays", "GET /v1/flows stays"],
  ["Nothing was changed. /flows/st.yaml:4 step", "Nothing was changed. flows/st.yaml:4 step"],
  ["/policy.yaml:1: `tools` and /home/me/flows/a.yaml:1", "policy.yaml:1: `tools` and /home/me/flows/a.yaml:1"],
])("[H11] the command line says %j as a person of a project does it", (text, said) => {
  expect(inProjectWords(text)).toBe(said)
})

test("[F54d] what is printed of a diagnostic is in these words, and leaves out what is silenced", () => {
  const [fault] = scopeFaults("callback", "/secret", { scopes: () => [] })
  const one = {
    code: "PV-SCOPE",
    line: 1,
    severity: "warning",
    message: fault?.message ?? "",
    suggestion: fault?.suggestion ?? "",
  } as const
  expect(rendered("pretty", { "callbacks/c.yaml": [one, { ...one, silenced: "later" }] }, () => undefined)).toEqual([
    expect.stringMatching(/^callbacks\/c\.yaml:1: warning PV-SCOPE: .*sluice secrets put callback`\)$/),
  ])
})

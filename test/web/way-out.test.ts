// The way out of a failure: the button that mends its cause.

import { expect, test } from "vitest"
import { handlerQuery, lineIn, wayOut, type FailedAt } from "../../web/run/way-out.ts"

const at: FailedAt = { flow: "support:refund", step: "sort", agent: "helper", model: "mock/m", child: "run_child" }
const labelOf = (source: string, message = "", more: Partial<FailedAt> = {}): string | undefined =>
  wayOut({ source, message }, { ...at, ...more })?.label

test("a provider that refuses the key: the key comes first", () => {
  expect(labelOf("api_error", "the provider answered 401: no such key")).toBe("Replace the key of mock")
  expect(labelOf("api_error", "the provider answered 403")).toBe("Replace the key of mock")
  expect(labelOf("api_error", "the provider answered 401", { model: undefined })).toBe("Replace the key of the provider")
})

test("a provider without the model, or one that refuses the request", () => {
  expect(labelOf("api_error", "the provider answered 404: no such model")).toBe("Choose another model")
  expect(labelOf("api_error", "the provider answered 400: too many tools")).toBe("Edit the agent helper")
})

test("what passes by itself needs no place: the fork is the way", () => {
  for (const message of ["the provider answered 503", "the provider answered 429", "the connection was lost"])
    expect(wayOut({ source: "api_error", message }, at)).toBeUndefined()
  expect(wayOut({ source: "engine", message: "lost" }, at)).toBeUndefined()
})

test("[F24] a handler that failed: its file, at the line that it names", () => {
  const message = "the handler threw TypeError: x is not a function (line 12)"
  expect(lineIn(message)).toBe(12)
  expect(wayOut({ source: "code_error", message }, at)).toMatchObject({
    label: "Open sort.ts at line 12",
    to: ["flows", "support:refund"],
    query: "file=code%2Fsupport%2Frefund%2Fsort.ts&line=12",
  })
  expect(labelOf("code_contract", 'the output is missing "version"')).toBe("Open sort.ts")
  expect(handlerQuery("a", "b")).toBe("file=code%2Fa%2Fb.ts")
  expect(wayOut({ source: "code_error", message: "the secrets vault does not answer: try again" }, at)).toBeUndefined()
})

test("a missing secret, a policy, a price, a budget, a child run, each by its own place", () => {
  expect(labelOf("config", "send needs a secret that this tenant does not have: scope mail")).toBe("Add the secret mail")
  expect(labelOf("config", "the policy denies it")).toBe("Review the policy")
  expect(labelOf("config", 'the model "a/b" has no price')).toBe("Set a price")
  expect(labelOf("budget", "the budget is used up")).toBe("Raise the budget")
  expect(wayOut({ source: "child_failed", message: "" }, at)?.to).toEqual(["runs", "run_child"])
  expect(wayOut({ source: "child_failed", message: "" }, { ...at, child: undefined })).toBeUndefined()
  expect(labelOf("config", "${{a}} is not a list, but text")).toBe("Fix the flow")
  expect(labelOf("max_turns")).toBe("Edit the agent helper")
})

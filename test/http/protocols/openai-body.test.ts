// The bodies of OpenAI's APIs [P2, P10]: roles that are none, and what a flow cannot do.

import { describe, expect, test } from "vitest"
import { readChat } from "../../../src/protocols/chat/body.ts"
import { readResponse } from "../../../src/protocols/responses/response-body.ts"

const user = { role: "user", content: "hi" }
const NAMES = ["__proto__", "constructor", "toString", "function", 5, null, ["user"]]

describe("[P2] a role that is no role says nothing", () => {
  test.each(NAMES)("%j", (role) => {
    const before = [
      { role, content: "x" },
      { role: "developer", content: "be brief" },
    ]
    const kept = [{ role: "system", text: "be brief" }]
    expect(readChat({ model: "f", messages: [...before, user] })).toMatchObject({ value: { text: "hi", before: kept } })
    expect(readResponse({ model: "f", input: [...before, user] })).toMatchObject({ value: { message: { text: "hi" }, before: kept } })
  })
})

test("[P10] a forced tool is refused in every form, and a choice among tools is ignored", () => {
  const read = (more: object) => readChat({ model: "f", messages: [user], ...more })
  const auto = { type: "allowed_tools", allowed_tools: { mode: "auto", tools: [] } }
  for (const more of [{ tool_choice: auto }, { tool_choice: "none" }, { function_call: "auto" }, { function_call: "none" }])
    expect(read(more), JSON.stringify(more)).toMatchObject({ ok: true })
  expect(read({ tool_choice: { ...auto, allowed_tools: { mode: "required" } } })).toMatchObject({ error: [{ pointer: "/tool_choice" }] })
  expect(read({ tool_choice: { type: "function", function: { name: "x" } } })).toMatchObject({ error: [{ pointer: "/tool_choice" }] })
  expect(read({ function_call: { name: "x" } })).toMatchObject({ error: [{ pointer: "/function_call" }] })
})

test.each([
  [true, true],
  ["true", true],
  ["True", true],
  ["1", true],
  [1, true],
  [false, false],
  ["false", false],
  ["no", false],
  [0, false],
  [null, false],
  [{}, false],
  [undefined, false],
])("[P10] a switch of %j is %s", (value, on) => {
  const chat = readChat({ model: "f", messages: [user], stream: value, stream_options: { include_usage: value } })
  expect(chat).toMatchObject({ value: { stream: on, includeUsage: on } })
  const response = readResponse({ model: "f", input: "hi", stream: value, background: value })
  expect(response).toMatchObject({ value: { stream: on, background: on } })
})

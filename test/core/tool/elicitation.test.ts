// [T27] Questions of MCP servers, read within bounds.

import { describe, expect, test } from "vitest"
import { elicitationAnswers, elicitReply, readElicitation, sameQuestion } from "../../../src/core/tool/elicitation.ts"
import { checkAnswer } from "../../../src/core/run/session/ask/interaction.ts"

const form = (properties: object, more: object = {}) => ({ message: "Why?", requestedSchema: { type: "object", properties, ...more } })
const read = (params: unknown) => {
  const asked = readElicitation(params)
  if (!asked.ok) throw new Error(asked.error)
  return asked.value
}
const fits = (params: unknown, answer: object): boolean => checkAnswer({ schema: elicitationAnswers(read(params)) }, answer).ok

describe("what may be asked", () => {
  const plain = {
    text: { type: "string", format: "email" },
    number: { type: "integer", minimum: 1 },
    truth: { type: "boolean", default: true },
    one: { type: "string", oneOf: [{ const: "a", title: "A" }] },
    old: { type: "string", enum: ["x"], enumNames: ["X"] },
    many: { type: "array", items: { type: "string", enum: ["p", "q"] }, maxItems: 2 },
    named: { type: "array", items: { anyOf: [{ const: "p", title: "P" }] } },
  }
  test("[T27] a form of plain fields, in the protocol's forms", () => {
    expect(read(form(plain))).toMatchObject({ mode: "form", message: "Why?", requested: { properties: plain } })
    expect(read({ ...form({}), mode: "form" })).toMatchObject({ mode: "form" })
  })

  const refused: [string, unknown][] = [
    ["nothing", undefined],
    ["no message", { requestedSchema: { type: "object" } }],
    ["an empty message", { message: " ", requestedSchema: { type: "object" } }],
    ["a message of more than 8,000 characters", { ...form({}), message: "x".repeat(8_001) }],
    ["a message with a hidden character", { ...form({}), message: "Approve\u202e it" }],
    ["a field with a hidden character", form({ "a\u202eb": { type: "string" } })],
    ["no form", { message: "Why?" }],
    ["a form that is no object", { message: "Why?", requestedSchema: { type: "string" } }],
    ["an object within", form({ a: { type: "object", properties: {} } })],
    ["a list without choices", form({ a: { type: "array", items: { type: "string" } } })],
    ["a field that is none", form({ a: true })],
    ["more than 50 fields", form(Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`f${i}`, { type: "string" }])))],
    ["a form of more than 32 KiB", form({ a: { type: "string", description: "x".repeat(33_000) } })],
    ["a pattern that no one can match in time", form({ a: { type: "string", pattern: "(?=a)b" } })],
    ["a page that is a script", { mode: "url", message: "Look", url: "javascript:alert(1)" }],
    ["a page of more than 2,048 characters", { mode: "url", message: "Look", url: `https://a.example/${"x".repeat(2_048)}` }],
    ["a page without an address", { mode: "url", message: "Look" }],
  ]
  test.each(refused)("[T27] %s is refused with the reason", (_, params) => {
    expect(readElicitation(params)).toMatchObject({ ok: false, error: expect.stringMatching(/^its? /) })
  })
})

describe("answers", () => {
  test("[Q2] the filled form fits, and nothing that was not asked for; a default is no answer", () => {
    const asked = form({ name: { type: "string", default: "Bo" }, n: { type: "integer" } }, { required: ["name"] })
    expect(fits(asked, { answer: { name: "Ann" } })).toBe(true)
    expect(fits(asked, { answer: { name: "Ann", n: 3 } })).toBe(true)
    for (const answer of [{}, { name: 5 }, { name: "Ann", n: "3" }, { name: "Ann", other: 1 }]) expect(fits(asked, { answer })).toBe(false)
    for (const body of [{ cancelled: true }, { decision: "reject" }]) expect(fits(asked, body)).toBe(true)
    for (const body of [{ decision: "approve" }, { auto: true }, { custom: "x" }]) expect(fits(asked, body)).toBe(false)
  })

  test("[T27] the reply is in the protocol's words", () => {
    expect(elicitReply({ answer: { a: "x", b: ["y"], c: { deep: 1 }, d: null } })).toEqual({
      action: "accept",
      content: { a: "x", b: ["y"] },
    })
    expect(elicitReply({ decision: "approve" })).toEqual({ action: "accept" })
    expect(elicitReply({ decision: "reject" })).toEqual({ action: "decline" })
    expect(elicitReply(undefined)).toEqual({ action: "cancel" })
  })

  test("[T27] the same question is known again by its words and form, and a page by its host", () => {
    const a = read(form({ x: { type: "string" } }))
    expect(sameQuestion(a, read(form({ x: { type: "string" } })))).toBe(true)
    expect(sameQuestion(a, read(form({ x: { type: "number" } })))).toBe(false)
    const page = (url: string) => read({ mode: "url", message: "Look", url })
    expect(sameQuestion(page("https://a.example/1"), page("https://a.example/2"))).toBe(true)
    expect(sameQuestion(page("https://a.example/1"), page("https://b.example/1"))).toBe(false)
    expect(sameQuestion(a, page("https://a.example/1"))).toBe(false)
  })
})

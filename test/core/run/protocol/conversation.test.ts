// What stood before a message [P2].

import { expect, test } from "vitest"
import {
  conversationOf,
  conversationText,
  MAX_CONVERSATION_BYTES,
  MAX_SAID,
  remembers,
  taskOf,
} from "../../../../src/core/run/protocol/conversation.ts"
import type { Said } from "../../../../src/core/run/event-parts.ts"
import { agent, flowOf } from "../../../support/kernel/builders.ts"

const said = (n: number, text = `turn ${n}`): Said => ({ role: n % 2 === 0 ? "user" : "assistant", text })

test("[P2] the newest 200 entries are kept, oldest first", () => {
  const all = Array.from({ length: MAX_SAID + 50 }, (_, n) => said(n))
  expect(conversationOf(all)).toEqual(all.slice(50))
  expect(conversationOf([])).toEqual([])
})

test("[P2] they have at most 128 KiB in UTF-8, and what is older than one that does not fit is dropped too", () => {
  const half = "é".repeat(MAX_CONVERSATION_BYTES / 4)
  expect(conversationOf([said(0, "old"), said(1, half), said(2, half)]).map(({ text }) => text.length)).toEqual([half.length, half.length])
  expect(conversationOf([said(0, "old"), said(1, half), said(2, `${half}x`)]).map(({ text }) => text.length)).toEqual([half.length + 1])
  expect(conversationOf([said(0, "x".repeat(MAX_CONVERSATION_BYTES + 1))])).toHaveLength(0)
})

test("[P2] a flow that does not remember gets them in its task, one that does gets the message alone", () => {
  const before: Said[] = [{ role: "system", text: "be brief" }, said(0, "why?"), said(1, "so")]
  expect(conversationText(before)).toBe("system: be brief\n\nuser: why?\n\nassistant: so")
  expect(taskOf(false, before, "and now?")).toBe(`Conversation so far:\n\n${conversationText(before)}\n\nNow:\n\nand now?`)
  expect(taskOf(true, before, "and now?")).toBe("and now?")
  expect(taskOf(false, [], "and now?")).toBe("and now?")
})

test("[P2] a flow remembers if it names the conversation anywhere, or has a step with a session", () => {
  expect(remembers(flowOf([agent("a")]))).toBe(false)
  expect(remembers(flowOf([agent("a", { task: "about the conversation" })]))).toBe(false)
  expect(remembers(flowOf([agent("a", { task: "see ${{ conversation }}" })]))).toBe(true)
  expect(remembers(flowOf([agent("a", { inputs: { so_far: "${{conversation}}" } })]))).toBe(true)
  expect(remembers(flowOf([agent("a", { session: "${{session}}" })]))).toBe(true)
})

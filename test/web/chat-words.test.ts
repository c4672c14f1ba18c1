// What a chat shows beside its answers: what was said on the way, tasks to begin with, and the color of the page that it is on.

import { expect, test } from "vitest"
import { exampleTasks } from "../../web/chat/example-tasks.ts"
import { contrast, pageColors } from "../../web/chat/page-color.ts"
import { newMessage, saidLast, take } from "../../web/chat/ui-message.ts"
import { callsLine } from "../../web/chat/wording.ts"

const message = (said: string, answer: string) => {
  const one = newMessage("assistant", "run_1", 0)
  take(one, { type: "reasoning-delta", id: "r1", delta: said })
  if (answer !== "") take(one, { type: "text-delta", id: "t1", delta: answer })
  return one
}

test("[P22] what was said last stays in the open beside an answer that does not repeat it", () => {
  expect(saidLast(message("I compared both charges.", ""))?.text).toBe("I compared both charges.")
  expect(saidLast(message("I compared both charges.", "Two charges."))?.text).toBe("I compared both charges.")
  expect(saidLast(message("Two charges.", "**Two charges.** The second is a duplicate."))).toBeUndefined()
  expect(saidLast(message("  ", "Two charges."))).toBeUndefined()
})

test("a visitor sees the number of calls, and neither time nor cost", () => {
  const one = { ...message("a", "b"), took: 183, metadata: { usd: 0.2 }, status: "succeeded" as const }
  expect(callsLine(one, [], false)).toBe("Earlier messages")
  expect(callsLine(one, [])).toBe("Earlier messages, 183 ms, $0.200")
})

test("example tasks: quoted or listed in the description, then what was asked before; each once, three at most", () => {
  expect(exampleTasks('Answers questions, such as "Which invoice is open?" or “Who paid last?”.', [])).toEqual([
    "Which invoice is open?",
    "Who paid last?",
  ])
  expect(
    exampleTasks("Sorts tickets. Examples:\n- Search forgets my query\n- x\n", ["Search forgets my query", "Refund order 7\nnow"]),
  ).toEqual(["Search forgets my query", "Refund order 7"])
  expect(exampleTasks("", ["one task", "two tasks", "three tasks", "four tasks"])).toHaveLength(3)
  expect(exampleTasks("Sorts tickets.", [`long ${"x".repeat(200)}`])).toEqual([])
})

test("a page's color is taken in each theme where it can be seen and read", () => {
  expect(contrast("#ffffff", "#000000")).toBe(21)
  expect(pageColors("#0b6e4f")).toEqual({ light: { back: "#0b6e4f", ink: "#ffffff" }, dark: undefined })
  expect(pageColors("#2f80ed")).toMatchObject({ light: { ink: "#000000" }, dark: { ink: "#000000" } })
  expect(pageColors("#fafad2")).toMatchObject({ light: undefined, dark: { ink: "#000000" } })
  for (const text of ["", "red", "#fff", "url(x)", "#12345g"]) expect(pageColors(text)).toBeUndefined()
})

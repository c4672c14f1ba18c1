import { expect, test } from "vitest"
import { queuedWords } from "../../web/runs/queued-words.ts"

const time = (at: string): string => at.slice(11, 16)
const until = "2026-11-18T14:20:00.000Z"

test.each([
  [{ reason: "room" }, "starts when there is room"],
  [{ reason: "room", ahead: 3 }, "starts when there is room: 3 before it"],
  [{ reason: "concurrency", key: "customer cus_48120", ahead: 2 }, "waits for customer cus_48120: 2 before it"],
  [{ reason: "concurrency", pool: "gpu", ahead: 100 }, "waits for gpu: 100 or more before it"],
  [{ reason: "concurrency" }, "waits for its turn: it is next"],
  [{ reason: "throttle", until }, "begins at 14:20"],
  [{ reason: "throttle", until, ahead: 2 }, "waits for its turn, next at 14:20: 2 before it"],
  [{ reason: "throttle", ahead: 2 }, "waits for its turn: 2 before it"],
  [{ reason: "delay", until }, "begins at 14:20"],
  [{ reason: "debounce", until }, "begins at 14:20 if no start like it comes"],
  [{ reason: "batch", until }, "collects starts until 14:20"],
])("[R18] what a queued run waits for is said: %j", (wait, words) => {
  expect(queuedWords(wait, time)).toBe(words)
})

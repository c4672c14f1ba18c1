import { expect, test } from "vitest"
import { addedWords } from "../../web/quality/added-words.ts"
import { askedWords } from "../../web/quality/asked-words.ts"
import { correctionOf, newestOf, thumbsOf, type Said } from "../../web/quality/feedback.ts"
import { giverWords, scoreWords } from "../../web/quality/score-words.ts"

const said = (...given: readonly Partial<Said>[]): readonly Said[] =>
  given.map((one, at) => ({ id: `fb_${at}`, at: "2026-11-23T09:00:00.000Z", by: "ana", ...one }))

test("[V19] of one giver the newest thumb counts, and `none` takes it back", () => {
  expect(thumbsOf(said({ thumb: "down" }, { thumb: "up" }), "ana")).toEqual({ up: 0, down: 1, mine: "down" })
  expect(thumbsOf(said({ thumb: "none" }, { thumb: "up" }), "ana")).toEqual({ up: 0, down: 0, mine: undefined })
  expect(thumbsOf(said({ comment: "No." }, { thumb: "up" }), "ana")).toEqual({ up: 1, down: 0, mine: "up" })
  expect(thumbsOf(said({ thumb: "up", user: "c1", by: "page" }, { thumb: "down", user: "c2", by: "page" }), "ana")).toEqual({
    up: 1,
    down: 1,
    mine: undefined,
  })
})

test("[V21] a grade is no thumb, and a score without a scorer is one", () => {
  expect(thumbsOf(said({ scorer: "helpful", score: 1 }), "ana")).toEqual({ up: 0, down: 0, mine: undefined })
  expect(thumbsOf(said({ score: 0.4 }), "ana")).toEqual({ up: 0, down: 1, mine: "down" })
})

test("[V11] the newest score of each scorer counts, and those before are counted", () => {
  const rows = [
    { scorer: "b", score: 1 },
    { scorer: "a", score: 0 },
    { scorer: "b", score: 0.5 },
  ]
  expect(newestOf(rows)).toEqual([
    { row: rows[1], before: 0 },
    { row: rows[0], before: 1 },
  ])
})

test("[V44] the pages say scores, givers and what became of a wish in words", () => {
  expect([scoreWords(0.5), scoreWords(null)]).toEqual(["0.50", "–"])
  expect(giverWords({ by: "page", user: "c1" })).toBe("A customer, on your page")
  expect(giverWords({ by: "shop", user: "c1" })).toBe("c1, by shop")
  expect(correctionOf(said({ thumb: "up" }, { correction: "Order 7." }))?.correction).toBe("Order 7.")
  expect(
    askedWords([
      { scorer: "a", state: "waiting" },
      { scorer: "b", state: "done" },
      { scorer: "c", state: "skipped", why: "budget" },
    ]),
  ).toBe(
    "Asked: a. The score comes in a moment. This version has scored it before: b. Not scored by c: today’s budget for judges does not cover it.",
  )
  expect(addedWords("set", { added: 2, known: 1, left_out: [{ run: "run_1", why: "it has not ended" }] })).toBe(
    "2 rows added to set. 1 row was there already. run_1 is left out: it has not ended.",
  )
  expect(addedWords("set", { added: 0, known: 1, left_out: [] })).toBe("set has this row already.")
})

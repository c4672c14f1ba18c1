// Each character of a turn is told once, in order [P11], however pieces come and go.

import fc from "fast-check"
import { expect, test } from "vitest"
import { SentText } from "../../../../src/core/run/protocol/sent-text.ts"
import { answerPieces } from "../../../../src/core/run/protocol/text-pieces.ts"

test("[P11] pieces and the whole text give the text once: for who listens from the start, joins late, or misses pieces", () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ minLength: 1, maxLength: 9 }), { maxLength: 12 }),
      fc.array(fc.boolean(), { maxLength: 12 }),
      fc.nat(12),
      fc.nat(5),
      (pieces, lost, joins, omitted) => {
        const text = pieces.join("")
        const spoken = new SentText()
        let told = ""
        let before = ""
        for (const [i, piece] of pieces.entries()) {
          if (i === joins && before !== "") {
            const left = Math.min(omitted, before.length)
            told += spoken.piece({ step: "a", turn: 0, text: before.slice(left), whole: true, ...(left > 0 ? { omitted: left } : {}) })
          }
          before += piece
          if (i >= joins && lost[i] !== true) told += spoken.piece({ step: "a", turn: 0, text: piece })
          if (i >= joins && lost[i] === true) break
        }
        told += spoken.rest("a", 0, text)
        expect(told).toBe(text)
        expect(spoken.piece({ step: "a", turn: 0, text: "late" })).toBe("")
      },
    ),
    { numRuns: 500 },
  )
})

test("[P11] a new pass of the step counts its turns from 0 again", () => {
  const spoken = new SentText()
  expect(spoken.rest("a", 3, "x")).toBe("x")
  spoken.opened("a")
  expect(spoken.piece({ step: "a", turn: 0, text: "y" })).toBe("y")
  expect(spoken.rest("a", 0, "yz")).toBe("z")
})

test("[P11] an answer's pieces split no character, whatever its length", () => {
  for (const lead of ["", "a", "ab".repeat(200)]) {
    const text = lead + "😀".repeat(900)
    const pieces = answerPieces(text)
    expect([pieces.join(""), pieces.every((piece) => piece.isWellFormed())]).toEqual([text, true])
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(401)
  }
  expect(answerPieces("")).toEqual([])
})

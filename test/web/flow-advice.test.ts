// What an editor says of a diagnostic, and where it may say it while somebody types.

import { describe, expect, test } from "vitest"
import { sentence } from "../../web/faults/sentence.ts"
import { adviceOf } from "../../web/flow/advice.ts"
import { standing, type Standing } from "../../web/flow/standing.ts"

describe("a suggestion", () => {
  test.each([
    "agent: NAME",
    "type: agent",
    "name: support:reply\ndescription: what the flow does, in a sentence",
    "${{result.a.summary}}",
    "- finish: { status: complete, summary: done }",
    "{ answer: yes }",
    "the_doc",
  ])("[F54] that is written into the file stands as it is written: %j", (text) => {
    expect(adviceOf(text)).toEqual({ write: text })
  })

  test.each([
    ["remove it", "Remove it."],
    ['did you mean "a"? known: a, b', 'Did you mean "a"? Known: a, b.'],
    ["known: usd, tokens", "Known: usd, tokens."],
    ["make a branch lead to it, or remove it", "Make a branch lead to it, or remove it."],
  ])("[F54] that is a sentence reads as one: %j", (text, say) => {
    expect(adviceOf(text)).toEqual({ say })
  })

  test("[F54] a message begins with a capital, a name in it does not", () => {
    expect(sentence('step "a": the key "x" is unknown')).toBe('Step "a": the key "x" is unknown.')
    expect(sentence("on_error leads back")).toBe("on_error leads back.")
  })
})

describe("boxes between the lines", () => {
  const at = (line: number, message = `m${line}`) => ({ line, problem: { code: "FV-X", message } })
  const lines = (boxes: readonly Standing<unknown>[]): readonly string[] =>
    boxes.map(({ line, isGone }) => `${line}${isGone ? " gone" : ""}`)

  test("[F54] stand below every faulty line while nobody types", () => {
    expect(lines(standing([], [at(1), at(5), at(9)], undefined))).toEqual(["1", "5", "9"])
  })

  test("[F54] come only below the line that is typed", () => {
    expect(lines(standing([], [at(1), at(5), at(9)], 5))).toEqual(["9"])
  })

  test("[F54] above that line they keep their place, also when they hold no longer", () => {
    const before = standing([], [at(1), at(3), at(9)], undefined)
    expect(lines(standing(before, [at(3), at(4)], 5))).toEqual(["1 gone", "3"])
    expect(lines(standing(before, [at(1, "other"), at(3)], 5))).toEqual(["1 gone", "3"])
  })

  test("[F54] the line that is typed has none", () => {
    const before = standing([], [at(5)], undefined)
    expect(lines(standing(before, [at(5)], 5))).toEqual([])
  })
})

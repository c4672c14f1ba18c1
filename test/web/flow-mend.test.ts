// What an editor writes for the reader, tried on every diagnostic of flows and agents that there is a fixture for.

import { describe, expect, test } from "vitest"
import { mended } from "../../web/flow/mend.ts"
import { fixtures, judge } from "../support/kernel/fixtures.ts"

const files = fixtures("codes").filter(({ name }) => name.startsWith("fv-") && name !== "fv-more")
const told = ({ code, message }: { readonly code: string; readonly message: string }): string => `${code} ${message}`

/** The name that is right asks for more, or is there already. */
const AGAIN = ["av-more", "av-role", "av-rule"]

describe("a diagnostic's button", () => {
  const tried = files.flatMap((file) =>
    judge(file).flatMap((problem) => {
      const text = mended(file.text, problem)
      return text === undefined ? [] : [{ file, problem, text }]
    }),
  )

  for (const { file, problem, text } of tried)
    test(`[F54] mends ${file.name}: ${told(problem)}`, () => {
      const [before, after] = [judge(file), judge({ ...file, text })]
      expect(after.map(told)).not.toContain(told(problem))
      const errors = (list: typeof before) => list.filter(({ severity }) => severity === "error").length
      // A step whose type is known is checked further.
      if (problem.code !== "FV-TYPE-MISSING") expect(errors(after)).toBeLessThanOrEqual(errors(before))
    })

  const agents = fixtures("codes").filter(({ name }) => name.startsWith("av-") && !AGAIN.includes(name))
  const mendable = agents.flatMap((file) =>
    judge(file).flatMap((problem) => {
      const text = mended(file.text, problem)
      return text === undefined ? [] : [{ file, problem, text }]
    }),
  )
  test("[F54] mends what is wrong with an agent's settings", () => {
    expect(mendable.length).toBeGreaterThan(15)
    for (const { file, problem, text } of mendable) {
      const after = judge({ ...file, text })
      expect(after.map(told)).not.toContain(told(problem))
      expect(after.filter(({ severity }) => severity === "error").length).toBeLessThanOrEqual(
        judge(file).filter(({ severity }) => severity === "error").length,
      )
    }
  })

  test("[F54] is there for half of the codes of a flow, and for every name that is nearly right", () => {
    expect(new Set(tried.map(({ problem }) => problem.code)).size).toBeGreaterThan(30)
    const near = files.flatMap((file) =>
      judge(file).filter(
        ({ suggestion, ...problem }) => suggestion?.startsWith("did you mean") && !mended(file.text, { ...problem, suggestion }),
      ),
    )
    expect(near).toEqual([])
  })
})

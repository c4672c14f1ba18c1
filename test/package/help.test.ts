// The help of every command, as it is: a change of a word is a change of the product, and is seen here.

import { describe, expect, test } from "vitest"
import { COMMANDS } from "../../cli/commands/commands.ts"
import { sluice } from "./sluice.ts"

describe("help", () => {
  test("[H11] of the whole", async () => {
    const { code, out, err } = await sluice(["--help"])
    expect([code, err]).toEqual([0, ""])
    expect(out).toMatchSnapshot()
  })

  test.each(COMMANDS.map(({ name }) => name))("[H11] of %s, with an example", async (name) => {
    const { code, out, err } = await sluice([...name.split(" "), "--help"])
    expect([code, err]).toEqual([0, ""])
    expect(out).toContain("$ sluice ")
    expect(out).toMatchSnapshot()
  })

  test("[H11] every group says what it is about", () => {
    const firsts = new Map(COMMANDS.toReversed().flatMap((one) => (one.name.includes(" ") ? [[one.name.split(" ")[0], one]] : [])))
    expect([...firsts.values()].filter(({ group }) => group === undefined)).toEqual([])
  })
})

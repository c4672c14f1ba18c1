// The members of a `start` block and their bounds [R1, R2], in a flow's file and as a body.

import { describe, expect, test } from "vitest"
import { parseFlow } from "../../../src/core/language/parse-flow.ts"
import { FlowStart, GivenStart, TriggerStart } from "../../../src/core/start/start-schema.ts"
import { bodyFaults } from "../../../src/core/schema/body-faults.ts"
import { saidStart } from "../../../src/core/start/said-start.ts"
import { START_FIELDS } from "../../../src/core/flow/parse/field-table.ts"

const DAY = 86_400_000

const flowOf = (start: string) =>
  parseFlow(
    `name: f\ndescription: d\ninputs: { items: { type: array }, repo: { type: string } }\nstart: ${start}\nsteps:\n  - { id: a, type: wait, for: 1s }\n`,
    "f",
  )

const faults = (schema: typeof FlowStart | typeof TriggerStart | typeof GivenStart, value: unknown) => {
  const read = schema.safeParse(value)
  return read.success ? [] : bodyFaults(schema, value, read.error.issues, 20, "/start").map(({ pointer }) => pointer)
}

describe("a flow's block", () => {
  test("[R1] durations are those of flow files, and a number is milliseconds", () => {
    const { flow, diagnostics } = flowOf(
      '{ concurrency: { key: "${{flow.input.repo}}" }, throttle: { limit: 20, period: 1h }, debounce: { period: 10s, timeout: 60000 }, priority: low, delay: 2m, expires: 1d }',
    )
    expect(diagnostics.filter((d) => d.severity === "error")).toEqual([])
    expect(flow?.start).toEqual({
      concurrency: { key: "${{flow.input.repo}}" },
      throttle: { limit: 20, period: 3_600_000 },
      debounce: { period: 10_000, timeout: 60_000 },
      priority: "low",
      delay: { ms: 120_000 },
      expires: DAY,
    })
  })

  test.each([
    ["{ concurency: { limit: 1 } }", "start.concurency"],
    ["{ concurrency: { limit: 0 } }", "start.concurrency.limit"],
    ["{ concurrency: { limit: 1001 } }", "start.concurrency.limit"],
    ["{ concurrency: { pool: 'No Pool' } }", "start.concurrency.pool"],
    ["{ throttle: { period: 1h } }", "start.throttle.limit"],
    ["{ throttle: { limit: 1 } }", "start.throttle.period"],
    ["{ throttle: { limit: 1, period: 25h } }", "start.throttle.period"],
    ["{ debounce: { timeout: 1m } }", "start.debounce.period"],
    ["{ debounce: { period: 1m, timeout: 30s } }", "start.debounce.timeout"],
    ["{ debounce: { period: 1m, timeout: 8d } }", "start.debounce.timeout"],
    ["{ batch: { size: 2, timeout: 1m } }", "start.batch.into"],
    ["{ batch: { timeout: 1m, into: items } }", "start.batch.size"],
    ["{ batch: { size: 2, into: items } }", "start.batch.timeout"],
    ["{ batch: { size: 1, timeout: 1m, into: items } }", "start.batch.size"],
    ["{ batch: { size: 2, timeout: 1m, into: repo } }", "start.batch.into"],
    ["{ batch: { size: 2, timeout: 1m, into: none } }", "start.batch.into"],
    ["{ debounce: { period: 1m }, batch: { size: 2, timeout: 1m, into: items } }", "start.batch"],
    ["{ priority: urgent }", "start.priority"],
    ["{ delay: 31d }", "start.delay"],
    ["{ delay: '2026-12-01T09:00:00Z' }", "start.delay"],
    ["{ expires: 10ms }", "start.expires"],
  ])("[R2] %s is FV-START at %s, with something to write", (start, place) => {
    const found = flowOf(start).diagnostics.filter((d) => d.severity === "error")
    expect(found.map(({ code }) => code)).toEqual(["FV-START"])
    expect(found[0]?.message).toContain(`${place}:`)
    expect(found[0]?.suggestion ?? "").not.toBe("")
    expect(found[0]?.line).toBe(4)
  })
})

test("[F2] a flow's start tells twenty faults at most", () => {
  const strange = Array.from({ length: 50 }, (_, i) => `x${i}: 1`).join(", ")
  const found = flowOf(`{ ${strange} }`).diagnostics.filter((d) => d.code === "FV-START")
  expect(found).toHaveLength(20)
})

describe("a block elsewhere", () => {
  test("[R2] an unknown member is a fault at the member", () => {
    expect(faults(TriggerStart, { thottle: {} })).toEqual(["/start/thottle"])
    expect(faults(GivenStart, { concurrency: { limits: 1 } })).toEqual(["/start/concurrency/limits"])
  })

  test("[R6] only a flow's own block names a pool", () => {
    expect(faults(TriggerStart, { concurrency: { pool: "crm" } })).toEqual(["/start/concurrency/pool"])
    expect(faults(GivenStart, { throttle: { limit: 1, period: "1m", pool: "crm" } })).toEqual(["/start/throttle/pool"])
    expect(faults(FlowStart, { concurrency: { pool: "crm" } })).toEqual([])
    expect(faults(FlowStart, { concurrency: { pool: "legal:NDA" } })).toEqual([])
  })

  test("[R1] a delay is a time in a start's body alone, with Z or an offset", () => {
    const time = "2026-12-01T09:00:00+01:00"
    expect(faults(TriggerStart, { delay: time })).toEqual(["/start/delay"])
    expect(faults(GivenStart, { delay: time })).toEqual([])
    expect(saidStart(GivenStart.parse({ delay: time }))).toEqual({ delay: { at: Date.UTC(2026, 11, 1, 8) } })
    expect(faults(GivenStart, { delay: "2026-12-01T09:00:00" })).toEqual(["/start/delay"])
    expect(faults(GivenStart, { delay: "2026-12-01" })).toEqual(["/start/delay"])
    expect(faults(GivenStart, { delay: "2026-13-01T09:00:00Z" })).toEqual(["/start/delay"])
  })

  test("[R2] every bound is allowed, and one beyond it is not", () => {
    const ends = (path: readonly string[], inside: readonly number[], outside: readonly number[], others: object = {}) => {
      const block = (value: number): unknown => {
        const [member = "", name] = path
        return name === undefined ? { [member]: value } : { [member]: { ...others, [name]: value } }
      }
      for (const value of inside) expect(faults(GivenStart, block(value)), `${path.join(".")} ${value}`).toEqual([])
      for (const value of outside)
        expect(faults(GivenStart, block(value)), `${path.join(".")} ${value}`).toEqual([`/start/${path.join("/")}`])
    }
    ends(["concurrency", "limit"], [1, 1_000], [0, 1_001, 1.5])
    ends(["throttle", "limit"], [1, 1_000], [0, 1_001], { period: 1_000 })
    ends(["throttle", "period"], [1_000, DAY], [999, DAY + 1], { limit: 1 })
    ends(["debounce", "period"], [1_000, DAY], [999, DAY + 1])
    ends(["debounce", "timeout"], [1_000, 7 * DAY], [999, 7 * DAY + 1], { period: 1_000 })
    ends(["batch", "size"], [2, 1_000], [1, 1_001], { timeout: 1_000, into: "items" })
    ends(["batch", "timeout"], [1_000, 7 * DAY], [999, 7 * DAY + 1], { size: 2, into: "items" })
    ends(["delay"], [0, 30 * DAY], [-1, 30 * DAY + 1])
    ends(["expires"], [1_000, 30 * DAY], [999, 30 * DAY + 1])
  })

  test("[F3] the editor's table and the schema have the same members", () => {
    const shape: Readonly<Record<string, unknown>> = FlowStart.shape
    expect(Object.keys(START_FIELDS).toSorted()).toEqual(Object.keys(shape).toSorted())
    for (const [member, spec] of Object.entries(START_FIELDS)) {
      if (!("fields" in spec)) continue
      const strange = Object.fromEntries(Object.keys(spec.fields).map((name) => [name, null]))
      const unknown = faults(FlowStart, { [member]: { ...strange, other: 1 } }).filter((pointer) => pointer.endsWith("/other"))
      expect(unknown, member).toEqual([`/start/${member}/other`])
      // A field that the schema does not know would be among the unknown ones.
      const read = FlowStart.safeParse({ [member]: { ...strange, other: 1 } })
      const keys = read.error?.issues.flatMap((issue) => (issue.code === "unrecognized_keys" ? issue.keys : []))
      expect(keys, member).toEqual(["other"])
    }
  })
})

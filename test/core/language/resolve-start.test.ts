// Who decides what a start obeys [R3], and what its keys are [R4].

import { createHash } from "node:crypto"
import { describe, expect, test } from "vitest"
import { resolveStart, setByFlow, type KeyScope, type StartPlaces } from "../../../src/core/language/resolve-start.ts"
import { checkFlow } from "../../../src/core/language/check-flow.ts"
import { parseFlow } from "../../../src/core/language/parse-flow.ts"
import { blockNow, EXPIRES_MS, flowRules, isLined, type SaidStart } from "../../../src/core/start/start-block.ts"

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")
const deps = { redact: (text: string) => text.replaceAll("hunter2", "[secret]"), sha256 }
const scope: KeyScope = {
  run: "run_1",
  task: "the task",
  inputs: { repo: "acme/shop", pr: 7, none: null },
  config: { team: "blue" },
  trigger: { body: { id: 9 } },
}
const resolved = (places: Partial<StartPlaces> & { readonly start?: SaidStart }, more: Partial<KeyScope> = {}) =>
  resolveStart({ flow: { id: "review", start: places.start }, ...places }, { ...scope, ...more }, deps)
const keyOf = (key: string, more: Partial<KeyScope> = {}) => resolved({ start: { concurrency: { key } } }, more)?.concurrency?.key

describe("who decides", () => {
  test("[R1] a start without a block anywhere obeys none", () => {
    expect(resolved({})).toBeUndefined()
    expect(resolved({ start: {}, given: {} })).toBeUndefined()
  })

  test("[R1] the defaults: limit 1, overlap queue, the flow's pool, normal, seven days, a timeout of ten periods", () => {
    expect(resolved({ start: { concurrency: {}, debounce: { period: 1_000 } } })).toEqual({
      concurrency: { pool: "review", key: "", limit: 1, overlap: "queue" },
      debounce: { pool: "review", key: "", period: 1_000, timeout: 10_000 },
      priority: "normal",
      expires: EXPIRES_MS,
      own: ["concurrency", "expires"],
    })
    const week = 7 * 86_400_000
    expect(resolved({ start: { debounce: { period: 86_400_000 } } })?.debounce?.timeout).toBe(week)
  })

  test("[R3] the nearest place counts, member by member", () => {
    const block = resolved({
      start: { priority: "low", expires: 1_000, delay: { ms: 5_000 } },
      trigger: { priority: "normal", expires: 2_000 },
      given: { priority: "high" },
    })
    expect(block).toMatchObject({ priority: "high", expires: 2_000, delay: { ms: 5_000 } })
    expect(block?.own).toBeUndefined()
  })

  test("[R3] a nearer window replaces the other kind", () => {
    const start: SaidStart = { debounce: { key: "a", period: 1_000 } }
    const trigger: SaidStart = { batch: { size: 2, timeout: 1_000, into: "items" } }
    expect(resolved({ start, trigger })).toMatchObject({ batch: { pool: "review", key: "", size: 2, timeout: 1_000, into: "items" } })
    expect(resolved({ start, trigger })?.debounce).toBeUndefined()
    expect(resolved({ start, trigger, given: { debounce: { period: 3_000 } } })?.batch).toBeUndefined()
  })

  test("[R3] a flow's concurrency and throttle are final", () => {
    const start: SaidStart = { concurrency: { key: "k", limit: 2, pool: "crm" }, throttle: { limit: 3, period: 1_000 } }
    const other: SaidStart = { concurrency: { key: "x", limit: 9 }, throttle: { key: "x", limit: 9, period: 9_000 } }
    expect(setByFlow(start, other)).toEqual(["concurrency", "throttle"])
    expect(setByFlow({}, other)).toEqual([])
    expect(resolved({ start, given: other, trigger: other })).toMatchObject({
      concurrency: { pool: "crm", key: "k", limit: 2, named: true },
      throttle: { pool: "review", key: "", limit: 3, period: 1_000 },
      own: ["concurrency", "throttle", "expires"],
    })
  })

  test("[R3] another place adds what the flow lacks, in the flow's pool and with a literal key", () => {
    const block = resolved({ start: { priority: "low" }, given: { concurrency: { key: "${{flow.input.repo}}", limit: 3 } } })
    expect(block?.concurrency).toEqual({ pool: "review", key: "${{flow.input.repo}}", limit: 3, overlap: "queue" })
    expect(block?.own).toEqual(["expires"])
  })

  test("[R3] limit, period, overlap and expires of a flow's block are those of the catalog now; keys, pool and what others brought stay", () => {
    const start: SaidStart = { concurrency: { key: "k" }, throttle: { limit: 1, period: 1_000 } }
    const block = resolved({ start })
    if (block === undefined) throw new Error("no block")
    const now = flowRules({
      concurrency: { key: "other", limit: 5, overlap: "skip", pool: "other" },
      throttle: { limit: 7, period: 2_000 },
      expires: 9_000,
    })
    expect(blockNow(block, now)).toEqual({
      ...block,
      concurrency: { pool: "review", key: "k", limit: 5, overlap: "skip" },
      throttle: { pool: "review", key: "", limit: 7, period: 2_000 },
      expires: 9_000,
    })
    expect(blockNow(block, undefined)).toEqual(block)
    expect(blockNow(block, {})).toMatchObject({ expires: EXPIRES_MS })
    expect(blockNow(block, {}).concurrency).toBeUndefined()
    const brought = resolved({ given: { concurrency: { limit: 2 }, expires: 4_000 } })
    if (brought === undefined) throw new Error("no block")
    expect(blockNow(brought, now)).toEqual(brought)
  })

  test("[R21] priority and expires alone leave a start with the desks", () => {
    expect(isLined(resolved({ start: { priority: "low", expires: 1_000 } }) ?? {})).toBe(false)
    for (const start of [{ concurrency: {} }, { delay: { ms: 0 } }, { delay: { at: 1 } }, { debounce: { period: 1_000 } }])
      expect(isLined(resolved({ start }) ?? {})).toBe(true)
  })
})

describe("keys", () => {
  test("[R4] a flow's key sees task, flow.input, config, session, trigger and thread", () => {
    expect(keyOf("${{flow.input.repo}}#${{flow.input.pr}}")).toBe("acme/shop#7")
    expect(keyOf("${{task}}|${{config.team}}|${{trigger.body.id}}|${{session}}", { session: "s1" })).toBe("the task|blue|9|s1")
  })

  test("[R4] ${{thread}} is the start's thread, or its run's id", () => {
    expect(keyOf("${{thread}}")).toBe("run_1")
    expect(keyOf("${{thread}}", { thread: "chat 4" })).toBe("chat 4")
  })

  test("[R4] a template that gives nothing is the key that all share", () => {
    for (const key of ["${{flow.input.none}}", "${{flow.input.missing}}", "${{session}}", "${{trigger.body.nothing}}"])
      expect(keyOf(key), key).toBe("")
  })

  test("[R4] what a value has is never expanded again", () => {
    expect(keyOf("${{flow.input.repo}}", { inputs: { repo: "${{config.team}}" } })).toBe("${{config.team}}")
  })

  test("[R4, T32] a key is cleaned of secrets first, and beyond 256 characters it is a hash of what is left", () => {
    expect(keyOf("${{task}}", { task: "pw hunter2" })).toBe("pw [secret]")
    const long = "x".repeat(257)
    expect(keyOf("${{task}}", { task: long })).toBe(`sha256:${sha256(long)}`)
    expect(keyOf("${{task}}", { task: long.slice(1) })).toBe(long.slice(1))
    expect(keyOf("${{task}}", { task: `${long}hunter2` })).toBe(`sha256:${sha256(`${long}[secret]`)}`)
  })

  test("[R4] the check refuses a key that reads what no start has yet", () => {
    const found = (key: string, task = "t") => {
      const text = `name: f\ndescription: d\ninputs: { repo: { type: string } }\nstart: { concurrency: { key: "${key}" } }\nsteps:\n  - { id: a, type: agent, agent: w, task: "${task}" }\n`
      const world = { agents: new Map() }
      return checkFlow(parseFlow(text, "f"), world).filter(({ code }) => code !== "FV-AGENT")
    }
    for (const key of ["${{result.a}}", "${{run.id}}", "${{conversation}}", "${{item}}", "${{input.x}}", "${{index}}"])
      expect(
        found(key).map(({ code, line }) => [code, line]),
        key,
      ).toEqual([["FV-START", 4]])
    expect(found("${{flow.input.rep}}").map(({ code }) => code)).toEqual(["FV-REF-INPUT"])
    expect(
      found("${{task}} ${{flow.input.repo}} ${{session}} ${{trigger.body.x}} ${{thread}}").filter(({ severity }) => severity === "error"),
    ).toEqual([])
    expect(found("${{thread}}", "${{thread}}").map(({ code }) => code)).toEqual(["FV-TPL-PREFIX"])
  })
})

describe("properties", () => {
  /** A small seeded source of numbers. */
  const dice = (seed: number) => {
    let state = seed
    return (n: number): number => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
      return Math.floor((state / 2 ** 32) * n)
    }
  }
  const pick = <T>(roll: (n: number) => number, ...values: readonly T[]): T => values[roll(values.length)] as T
  const saidOf = (roll: (n: number) => number): SaidStart => ({
    ...(roll(2) === 0 ? {} : { concurrency: { limit: 1 + roll(3), key: pick(roll, "a", "b", "${{task}}") } }),
    ...(roll(2) === 0 ? {} : { throttle: { limit: 1 + roll(3), period: 1_000 * (1 + roll(3)) } }),
    ...pick(roll, {}, { debounce: { period: 1_000 } }, { batch: { size: 2, timeout: 1_000, into: "items" } }),
    ...(roll(2) === 0 ? {} : { priority: pick(roll, "high", "normal", "low") }),
    ...(roll(2) === 0 ? {} : { delay: { ms: roll(2) * 1_000 } }),
    ...(roll(2) === 0 ? {} : { expires: 1_000 * (1 + roll(5)) }),
  })
  const histories = Array.from({ length: 2_000 }, (_, seed) => {
    const roll = dice(seed)
    return { start: saidOf(roll), trigger: roll(3) === 0 ? undefined : saidOf(roll), given: roll(3) === 0 ? undefined : saidOf(roll) }
  })

  test("[R3] whatever others say, the flow's concurrency and throttle are those of the flow alone", () => {
    for (const { start, trigger, given } of histories) {
      const alone = resolved({ start })
      const all = resolved({ start, trigger, given })
      if (start.concurrency) expect(all?.concurrency).toEqual(alone?.concurrency)
      if (start.throttle) expect(all?.throttle).toEqual(alone?.throttle)
    }
  })

  test("[R3] a start joins at most one window, and it is that of the nearest place that has one", () => {
    for (const { start, trigger, given } of histories) {
      const all = resolved({ start, trigger, given })
      const near = [given, trigger, start].find((said) => said?.debounce ?? said?.batch)
      expect([all?.debounce !== undefined, all?.batch !== undefined]).toEqual([near?.debounce !== undefined, near?.batch !== undefined])
    }
  })

  test("[R3] a place that says nothing changes nothing", () => {
    for (const { start, given } of histories) expect(resolved({ start, trigger: {}, given })).toEqual(resolved({ start, given }))
  })

  test("[R3] with the flow's own rules unchanged, the line reads the block as it was", () => {
    for (const { start, trigger, given } of histories) {
      const block = resolved({ start, trigger, given })
      if (block) expect(blockNow(block, flowRules(start))).toEqual(block)
    }
  })
})

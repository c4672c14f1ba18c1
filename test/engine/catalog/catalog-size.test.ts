// [H3] What 5,000 files, the most of a catalog, say of each other is worked out in linear time, and told in a bounded answer.

import { describe, expect, test, vi } from "vitest"
import type { Bundle } from "../../../src/ports/tenant/catalog.ts"
import { amount } from "../../support/amount.ts"
import { cpuClock } from "../../support/cpu-clock.ts"
import { agent, flow, step, stocked, world } from "../../support/engine/memory-catalog.ts"

const ref = (id: string, to: string): string => `  - { id: ${id}, type: flow-ref, flow: ${to} }\n`
const named = (i: number): string => `flow_number_${i}`
const times = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i))
const flows = (count: number, steps: (i: number) => string): Bundle => ({
  flows: Object.fromEntries(times(count, (i) => [`${named(i)}.yaml`, `${flow(named(i), steps(i))}# ${"x".repeat(100)}\n`])),
})
const agents = (count: number): Record<string, string> =>
  Object.fromEntries(times(count, (i) => [`worker_of_house_${i}.md`, agent(`worker_of_house_${i}`)]))

/** Fewer than the most: the time grows with the number, as the two shapes at the end show. */
const N = amount(2_000, 600)
const MOST = amount(5_000, 1_500)
const SHAPES: Readonly<Record<string, Bundle>> = {
  "a ring": flows(N, (i) => ref("s", named((i + 1) % N))),
  "a ring in both directions": flows(N, (i) => ref("s", named((i + 1) % N)) + ref("t", named((i + N - 1) % N))),
  "a chain that ends in a ring": flows(N, (i) => ref("s", named(i === N - 1 ? N / 2 : i + 1))),
  "a chain": flows(N, (i) => (i + 1 < N ? ref("s", named(i + 1)) : step("s", "flow-decision"))),
  diamonds: flows(N, (i) => (i + 2 < N ? ref("s", named(i + 1)) + ref("t", named(i + 2)) : step("s", "flow-decision"))),
  "all run one that does not exist": flows(N, () => ref("s", "flow_number_nowhere")),
  "each runs another that does not exist": flows(N, (i) => ref("s", `flow_numbre_${i}`)),
  "each runs all": flows(40, (i) => times(100, (k) => ref(`s${k}`, named((i + k) % 40))).join("")),
  "each names an agent almost right": { agents: agents(N / 2), ...flows(N / 2, (i) => step("s", `worker_of_hosue_${i}`)) },
  "each names tools and skills that do not exist": {
    agents: Object.fromEntries(
      times(N, (i) => [`a${i}.md`, agent(`a${i}`, `tools: [${times(20, (k) => `raed${k}`).join(", ")}]\nskills: [s${i}, s${i + 1}]\n`)]),
    ),
  },
  "a flow with a handler for each of many steps that it lacks": {
    ...flows(1, () => step("s", "nobody")),
    code: Object.fromEntries(times(N - 1, (i) => [`${named(0)}/s${i}.js`, "export default () => ({})"])),
  },
  "the most in a ring in both directions": flows(MOST, (i) => ref("s", named((i + 1) % MOST)) + ref("t", named((i + MOST - 1) % MOST))),
  "the most, each runs another that does not exist": flows(MOST, (i) => ref("s", `flow_numbre_${i}`)),
}

describe("[H3] a bundle of thousands of files is judged in time, and the answer is bounded", () => {
  test.for(Object.entries(SHAPES))("%s", async ([, bundle]) => {
    const { catalog } = world()
    const spent = cpuClock()
    const result = await catalog.replace(bundle)
    expect(spent()).toBeLessThan(amount(24_000, 7_000))
    expect(result.ok).toBe(false)
    const lists = Object.values(result.diagnostics)
    expect(lists.flat().length).toBeGreaterThan(0)
    expect(lists.flat().length).toBeLessThanOrEqual(1_001)
    expect(Math.max(...lists.map((list) => list.length))).toBeLessThanOrEqual(101)
    expect(JSON.stringify(result.diagnostics).length).toBeLessThan(1_000_000)
  })
})

test("[N4] while a bundle is checked, other tenants have their turn", async () => {
  const bundle = flows(500, (i) => step("s", `worker_that_no_one_wrote_${i}`))
  // 5,000 characters are a slice, whatever the clock says.
  const slices = Object.values(bundle.flows ?? {}).join("").length / 5_000
  const rests = vi.spyOn(globalThis, "setTimeout")
  try {
    await world().catalog.replace(bundle)
    expect(rests.mock.calls.length).toBeGreaterThan(slices / 2)
  } finally {
    rests.mockRestore()
  }
})

describe("what an answer leaves out is counted", () => {
  test("[F23e] a circle is named once, by at most 12 flows, and with its size", async () => {
    const { catalog } = world()
    const ring = await catalog.replace(SHAPES["a ring"] ?? {})
    expect(Object.values(ring.diagnostics).flat()).toEqual([
      expect.objectContaining({
        code: "FV-FLOW-RECURSION",
        severity: "error",
        message: expect.stringContaining(`(${N} flows run each other`),
      }),
    ])
    const two = await catalog.replace({
      flows: {
        "a.yaml": flow("a", ref("s", "b")),
        "b.yaml": flow("b", ref("s", "a")),
        "c.yaml": flow("c", ref("s", "d")),
        "d.yaml": flow("d", ref("s", "e")),
        "e.yaml": flow("e", ref("s", "c")),
        "outside.yaml": flow("outside", ref("s", "a")),
      },
    })
    const said = Object.entries(two.diagnostics).map(([path, list]) => [path, ...list.map((d) => `${d.code} ${d.message}`)])
    expect(said).toEqual([
      ["flows/a.yaml", 'FV-FLOW-RECURSION step "s": the flow always runs itself again: a → b → a'],
      ["flows/c.yaml", 'FV-FLOW-RECURSION step "s": the flow always runs itself again: c → d → e → c'],
    ])
  })

  test("[F23e] a file looked at alone shows its circle, wherever the circle begins", async () => {
    const { catalog } = await stocked({ flows: { "b.yaml": flow("b", step("s", "flow-decision")), "c.yaml": flow("c", ref("s", "b")) } })
    const result = await catalog.put("flow", "flows/b.yaml", flow("b", ref("s", "c")))
    expect(result).toMatchObject({ written: false, diagnostics: [{ message: expect.stringContaining("b → c → b") }] })
  })

  test("[F2] of one file 100 problems are shown, errors first, and the rest are one count", async () => {
    const { catalog } = world()
    const body = `name: x\ndescription: d\nsteps:\n${step("a", "nobody")}${times(150, (i) => `key_${i}: 1\n`).join("")}`
    const found = await catalog.validate("flow", body, "flows/x.yaml")
    expect(found).toHaveLength(101)
    expect(found.filter((d) => d.severity === "error").map((d) => d.code)).toEqual(["FV-AGENT"])
    expect(found.find((d) => d.code === "FV-MORE")).toMatchObject({ severity: "warning", message: "51 more problems are not shown" })
  })

  test("[F2] of all files 1,000 problems are shown, errors first, and the rest are one count", async () => {
    const { catalog } = world()
    const noisy = (more: string) => `${flow("x", step("s", "nobody"))}${times(50, (i) => `key_${i}: ${more}\n`).join("")}`
    const result = await catalog.replace({ flows: Object.fromEntries(times(40, (i) => [`f${i}.yaml`, noisy(String(i))])) })
    const all = Object.values(result.diagnostics).flat()
    expect(all.filter((d) => d.code === "FV-AGENT")).toHaveLength(40)
    expect(all).toHaveLength(1_001)
    expect(result.diagnostics[""]).toMatchObject([{ code: "CAT-MORE", severity: "warning", message: "1040 more problems are not shown" }])
  })

  test("[F2] the list of files shows 1,000 problems, and a count for each further file", async () => {
    const noisy = (i: number) => `${flow("x", step("s", "flow-decision"))}${times(50, (k) => `key_${k}: ${i}\n`).join("")}`
    const { catalog } = await stocked({ flows: Object.fromEntries(times(40, (i) => [`f${i}.yaml`, noisy(i)])) })
    const rows = (await catalog.files("flow")).data.filter((row) => row.tier === "local")
    expect(rows.flatMap((row) => row.diagnostics)).toHaveLength(20 * 50 + 20)
    expect(rows.at(-1)?.diagnostics).toMatchObject([{ code: "CAT-MORE", severity: "warning", message: "50 more problems are not shown" }])
    expect((await catalog.read("flow", "f9"))?.diagnostics).toHaveLength(50)
  })
})

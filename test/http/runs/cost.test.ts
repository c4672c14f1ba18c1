// The worst body of 1 MiB costs less than a second and gets a short answer [H3].

import { describe, expect, test } from "vitest"
import { setUp } from "../../support/http/ask.ts"
import { cpuClock } from "../../support/cpu-clock.ts"

const LONG = 1_000_000
const filled = (one: (i: number) => string, open: string, close: string): string => {
  const parts: string[] = []
  for (let size = open.length + close.length, i = 0; ; i++) {
    const part = one(i)
    size += part.length + 1
    if (size > LONG) return open + parts.join(",") + close
    parts.push(part)
  }
}

const BODIES: readonly (readonly [string, string])[] = [
  ["unknown fields", filled((i) => `"tas${i}":0`, "{", "}")],
  ["unknown inputs", filled((i) => `"topc${i}":0`, '{"inputs":{', "}}")],
  ["wrong tags", filled(() => "0", '{"tags":[', "]}")],
  ["open brackets", `{"inputs":${"[".repeat(LONG)}`],
  ["deep and closed", `{"inputs":{"a":${"[".repeat(LONG / 2 - 20)}${"]".repeat(LONG / 2 - 20)}}}`],
  ["one long name", `{"${"a".repeat(LONG - 10)}":0}`],
]

describe("[H3] the cost of refusing", () => {
  test.each(BODIES)("[H3] %s", async (_name, body) => {
    const { acme, ask } = setUp()
    acme.catalog.flow({ inputs: { topic: { type: "string", required: false }, toxic: { type: "string", required: false } } })
    await acme.catalog.put("flow", "flows/f.yaml", "x")
    const spent = cpuClock()
    const r = await ask("POST", "/v1/flows/f/runs", { body, headers: { "content-type": "application/json" } })
    expect([400, 422]).toContain(r.status)
    expect(r.text.length).toBeLessThan(40_000)
    expect(spent()).toBeLessThan(4_000)
  })
})

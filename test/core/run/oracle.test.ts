// [S8, S9] An independently written oracle allows exactly the calls that run, in their order and with their arguments: for any
// calls, arguments, policies, scopes, answers and crashes. A failure prints its seed and path: `{ seed, path }` beside `numRuns` reruns it.

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { goingOut } from "../../../src/core/tool/reach.ts"
import { judgeAddress } from "../../../src/engine/net/address-guard.ts"
import type { ToolSpec } from "../../../src/core/tool/tool-spec.ts"
import { anyCharacter } from "../../support/any-character.ts"
import { amount } from "../../support/amount.ts"
import { drive, newTally } from "../../support/kernel/oracle-drive.ts"
import { scenarios } from "../../support/kernel/oracle-world.ts"

// scripts/mutants.ts plants dozens of faults: each needs a counterexample quickly, not the smallest one.
const quick = process.env["SLUICE_MUTANT"] !== undefined

const CODES = "undeclared policy role after_finish autonomous invalid_args access tainted approval_rejected denylist scope".split(" ")

describe("the guard against its oracle", () => {
  test("[G1] [G3] [Q3] [G11] calls run exactly as the oracle allows, in its order and with its arguments", { timeout: 0 }, () => {
    const tally = newTally()
    fc.assert(
      fc.property(scenarios, (scenario) => drive(scenario, tally)),
      { numRuns: quick ? 1_500 : amount(2_200, 500), endOnFailure: quick },
    )
    // The runs are not empty: each kind of event happened often enough.
    if (quick) return
    for (const key of ["ran", "asked", "approvedThenRan", "repeated", "afterTaint"] as const)
      expect(tally[key], key).toBeGreaterThan(amount(300, 70))
    for (const code of CODES) expect(tally.refused[code] ?? 0, code).toBeGreaterThan(amount(50, 5))
  })

  test.each([
    ["https://Good.Example./a", "good.example", 443],
    ["http://2130706433/", "127.0.0.1", 80],
    ["http://0x7f.1:8080/", "127.0.0.1", 8080],
    ["https://good.exampl\uff45/", "good.example", 443],
    ["https://b\u00fccher.example/", "xn--bcher-kva.example", 443],
    ["https://[::1]/", "[::1]", 443],
    ["https://g%6fod.example/@x", "good.example", 443],
    ["  https://good.example  ", "good.example", 443],
    ["https://good.example@evil.example/", undefined, 443],
    ["https://evil.example\\@good.example/", undefined, 443],
    ["https://good.ex\nample/", undefined, 443],
    ["ftp://good.example/", undefined, 443],
    ["good.example", undefined, 443],
  ])("[G11] [T21] the guard reads %j as the address guard does", (url, host, port) => {
    const tool: ToolSpec = {
      name: "get",
      description: "",
      parameters: {},
      effect: "read",
      contexts: ["agent"],
      reach: { to: { arg: "url" }, method: { fixed: "GET" } },
    }
    expect(goingOut(tool, { url })).toEqual({ writes: false, ...(host === undefined ? {} : { host }), port })
  })

  test("[G11] the host that the guard reads from an address is the host that gets the request, or none", () => {
    const tool: ToolSpec = {
      name: "get",
      description: "",
      parameters: {},
      effect: "read",
      contexts: ["agent"],
      reach: { to: { arg: "url" }, method: { fixed: "GET" } },
    }
    const piece = fc.oneof(
      fc.constantFrom(
        "https:",
        "http:",
        "//",
        "/",
        "\\",
        "@",
        ":",
        "?",
        "#",
        ".",
        "%2e",
        "good.example",
        "evil.example",
        "127.1",
        "[::1]",
        "443",
      ),
      fc.constantFrom("\t", "\n", " ", "\u3002", "\uff0e", "\u2100", "\u00ad", "\u200b", "\ufeff", "xn--", "0x7f", "user", "ß"),
      fc.string({ maxLength: 3, unit: anyCharacter }),
    )
    const urls = fc.oneof(
      fc.webUrl({ withQueryParameters: true }),
      fc.array(piece, { maxLength: 9 }).map((p) => `https://${p.join("")}`),
    )
    let told = 0
    fc.assert(
      fc.property(urls, (url) => {
        const going = goingOut(tool, { url })
        const judged = judgeAddress(url, { allowPrivate: [] })
        // What the address guard lets through has a host here, and the same one.
        if (judged.ok) expect(going?.host).toBe(judged.value.hostname.replace(/\.$/, ""))
        if (going?.host === undefined) return
        told += 1
        const asked = new URL(url)
        expect(going.host).toBe(asked.hostname.replace(/\.$/, ""))
        expect(going.port).toBe(Number(asked.port || (asked.protocol === "http:" ? 80 : 443)))
        // A user name or a backslash in front of the host is how another host is made to look like this one.
        expect([asked.username, asked.password, /[\\\t\r\n]/.test(url)]).toEqual(["", "", false])
      }),
      { numRuns: amount(5_000, 1_000) },
    )
    expect(told).toBeGreaterThan(amount(500, 100))
  })
})

// Receipts [K40–K42]: any byte that is flipped, added, left out, doubled or moved is found, and its line is named.
//
// The journals are the golden ones: with loops, maps, children, approvals, budgets, compaction.

import { readdirSync, readFileSync, statSync } from "node:fs"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { RunEvent } from "../../../src/core/run/event.ts"
import { pathsOf } from "../../../src/engine/receipt/receipt.ts"
import { amount } from "../../support/amount.ts"
import { goldens, sha256 } from "../../support/kernel/golden.ts"
import { Signer } from "../../support/engine/signer.ts"

const folder = new URL("../../fixtures/journals/5dace29/", import.meta.url)
const texts = new Map<string, string>()
for (const path of readdirSync(folder, { recursive: true, encoding: "utf8" }))
  if (statSync(new URL(path, folder)).isFile()) {
    const text = readFileSync(new URL(path, folder), "utf8")
    texts.set(sha256(text), text)
  }

const signer = new Signer()
/** The fixtures hold what a replay needs; a receipt also has the definitions of children. */
const isWhole = ([first]: readonly RunEvent[]): boolean =>
  first?.type === "run.started" && pathsOf(first.pinned).every(({ hash }) => texts.has(hash))
const GOLDENS = (await goldens(folder)).filter(({ events }) => events.at(-1)?.type === "run.ended" && isWhole(events))
const RECEIPTS = await Promise.all(
  GOLDENS.map(async ({ name, plan, events }) => {
    const end = events.at(-1)
    const status = end?.type === "run.ended" ? end.status : "failed"
    return { name, text: await signer.receipt(plan, events, texts, { status }) }
  }),
)
const receiptOf = (at: number): string => RECEIPTS[at % RECEIPTS.length]?.text ?? ""
const check = (text: string | Uint8Array) => signer.verify(typeof text === "string" ? Buffer.from(text) : text)
const ALL = { form: true, sequence: true, chain: true, definitions: true, signature: true, replay: true }

describe("a receipt", () => {
  test.each(RECEIPTS)("[K42] of $name holds, its replay too", async ({ text }) => {
    expect(await check(text)).toEqual({ valid: true, checks: ALL })
  })

  test("[K42] any byte of 200 receipts that is flipped, added or left out is found, with its line", async () => {
    const at = fc.nat(1_000_000)
    const kind = fc.constantFrom("flip", "drop", "double", "add")
    await fc.assert(
      fc.asyncProperty(at, at, fc.integer({ min: 1, max: 255 }), kind, async (which, where, bits, how) => {
        const bytes = Buffer.from(receiptOf(which))
        const i = where % bytes.length
        const byte = bytes[i] ?? 0
        const changed: readonly number[] = { flip: [byte ^ bits], drop: [], double: [byte, byte], add: [bits, byte] }[how]
        const other = Buffer.concat([bytes.subarray(0, i), Buffer.from(changed), bytes.subarray(i + 1)])
        if (other.equals(bytes)) return
        const line = bytes.subarray(0, i).filter((b: number) => b === 10).length + 1
        const found = await check(other)
        expect(found.valid).toBe(false)
        // A line feed belongs to both of its lines.
        const near = byte === 10 || changed.includes(10) ? [line, line + 1] : [line]
        expect(near).toContain(found.line)
      }),
      { numRuns: amount(1_000, 350) },
    )
  }, 120_000)

  test("[K42] any line that is left out, doubled or moved is found, and the first one that is not in its place is named", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(1_000),
        fc.nat(10_000),
        fc.nat(10_000),
        fc.constantFrom("drop", "double", "move"),
        async (which, a, b, how) => {
          const lines = receiptOf(which).slice(0, -1).split("\n")
          const [i, j] = [a % lines.length, b % lines.length]
          const line = lines[i] ?? ""
          const rest = lines.toSpliced(i, 1)
          const other = how === "drop" ? rest : how === "double" ? lines.toSpliced(i, 0, line) : rest.toSpliced(j, 0, line)
          const first = lines.findIndex((l, n) => l !== other[n])
          if (how === "move" && i === j) return
          const found = await check(`${other.join("\n")}\n`)
          expect(found.valid).toBe(false)
          expect(found.line).toBe((first < 0 ? lines.length : Math.min(first, other.length - 1)) + 1)
        },
      ),
      { numRuns: amount(300, 120) },
    )
  }, 120_000)

  test("[K42] line ends of another system, a byte order mark, a missing end and a second receipt are found", async () => {
    const text = receiptOf(0)
    const count = text.split("\n").length - 1
    const forms = [`\u{feff}${text}`, text.replaceAll("\n", "\r\n"), text.slice(0, -1), `${text}\n`, `${text}{}\n`, text + text, ""]
    const found = await Promise.all(forms.map(check))
    expect(found.map(({ valid }) => valid)).toEqual(forms.map(() => false))
    expect(found.map(({ line }) => line)).toEqual([1, 1, count, count + 1, count + 1, count + 1, 1])
  })

  test("[K42] each check says what does not hold", async () => {
    const lines = receiptOf(0).slice(0, -1).split("\n")
    const doubled = `${lines.toSpliced(4, 0, lines[3] ?? "").join("\n")}\n`
    expect(await check(doubled)).toMatchObject({ line: 5, checks: { form: true, sequence: false, chain: false, signature: true } })
    const header = JSON.parse(lines[0] ?? "") as { definitions: { text: string }[] }
    const [first] = header.definitions
    if (first) first.text += " "
    const other = [JSON.stringify(header), ...lines.slice(1), ""].join("\n")
    expect(await check(other)).toMatchObject({ line: 1, checks: { form: true, sequence: true, definitions: false, chain: false } })
  })

  test("[K42] a receipt that was made up whole is caught by its signature, whoever signed it", async () => {
    const lines = receiptOf(0).slice(0, -1).split("\n")
    let prev = "0".repeat(64)
    const events = lines.slice(1, -1).map((line) => {
      const text = JSON.stringify({ ...JSON.parse(line), prev })
      prev = sha256(text)
      return text
    })
    const footer = JSON.parse(lines.at(-1) ?? "")
    const forged = [lines[0], ...events, JSON.stringify({ ...footer, head: prev.replace(/^./, "f") }), ""].join("\n")
    expect(await check(forged)).toMatchObject({ valid: false, line: lines.length, checks: { signature: false, replay: false } })
    const other = new Signer("sig_other")
    const theirs = await other.receipt(GOLDENS[0]?.plan as never, GOLDENS[0]?.events ?? [], texts)
    expect(await check(theirs)).toMatchObject({ valid: false, checks: { form: true, sequence: true, chain: true, signature: false } })
    const { signature, ...rest } = footer
    const turned = [...lines.slice(0, -1), JSON.stringify({ signature, ...rest }), ""].join("\n")
    expect(await check(turned)).toMatchObject({ valid: false, line: lines.length, checks: { form: false } })
  })

  test("[K42] a signed receipt whose journal this kernel would not make fails its replay; of another build it still holds", async () => {
    const [golden] = GOLDENS
    if (!golden) throw new Error("there are golden journals")
    const at = golden.events.findIndex((e) => e.type === "step.finished")
    let prev = "0".repeat(64)
    const events = golden.events.map((e, i) => {
      const other = { ...e, prev, ...(i === at ? { summary: "something else" } : {}) }
      prev = sha256(JSON.stringify(other))
      return other
    })
    const receipt = await signer.receipt(golden.plan, events, texts)
    expect(await check(receipt)).toEqual({ valid: false, line: at + 2, checks: { ...ALL, replay: false } })
    const old = await signer.receipt(golden.plan, events, texts, { build: "0.0.9" })
    expect(await check(old)).toEqual({ valid: true, checks: { ...ALL, replay: false } })
  })

  test("[K42] whatever is sent is answered: garbage never throws", async () => {
    const piece = fc.oneof(
      fc.string(),
      fc.json(),
      fc.constantFrom(
        "\n",
        "{}",
        "null",
        '{"receipt":1}',
        "[".repeat(50_000),
        '{"__proto__":1}',
        receiptOf(0),
        receiptOf(1).slice(0, 5_000),
      ),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 8 }), fc.uint8Array({ maxLength: 40 }), async (parts, tail) => {
        const sent = Buffer.concat([Buffer.from(parts.join("\n")), tail])
        const { valid, line } = await check(sent)
        expect(valid || (line ?? 0) >= 1).toBe(true)
      }),
      { numRuns: amount(300, 120) },
    )
  })
})

import { describe, expect, test } from "vitest"
import { atOnce } from "../../../src/engine/at-once.ts"
import { inTurn } from "../../../src/engine/in-turn.ts"
import { Lru } from "../../../src/engine/lru.ts"

describe("the catalog's building blocks", () => {
  test("[F71] a cache drops the least recently used entry", () => {
    const lru = new Lru<number>(2)
    lru.set("a", 1)
    lru.set("b", 2)
    lru.get("a")
    lru.set("c", 3)
    expect([lru.get("a"), lru.get("b"), lru.get("c"), lru.size]).toEqual([1, undefined, 3, 2])
  })

  test("[F71] a cache is bounded by weight, and a value that is too heavy is not kept", () => {
    const lru = new Lru<string>(10, (s) => s.length, 8)
    lru.set("a", "12345")
    lru.set("b", "12345")
    lru.set("b", "1234567")
    expect([lru.get("a"), lru.get("b")]).toEqual([undefined, "1234567"])
    lru.set("c", "123456789")
    expect([lru.get("b"), lru.get("c")]).toEqual(["1234567", undefined])
    lru.delete("b")
    lru.set("d", "12345")
    lru.set("e", "12345")
    expect([lru.get("d"), lru.get("e")]).toEqual(["12345", "12345"])
  })

  test("[F71] work in turn never overlaps, and a failure blocks nothing", async () => {
    const turn = inTurn()
    const log: string[] = []
    const work =
      (name: string, fails = false) =>
      async () => {
        log.push(`${name}+`)
        await Promise.resolve()
        log.push(`${name}-`)
        if (fails) throw new Error(name)
        return name
      }
    const results = await Promise.allSettled([turn(work("a")), turn(work("b", true)), turn(work("c"))])
    expect(log).toEqual(["a+", "a-", "b+", "b-", "c+", "c-"])
    expect(results.map((r) => r.status)).toEqual(["fulfilled", "rejected", "fulfilled"])
  })

  test("[J16] concurrency is limited, results are in order, and nothing starts after a failure", async () => {
    let open = 0
    let most = 0
    const double = async (n: number) => {
      most = Math.max(most, ++open)
      await Promise.resolve()
      open--
      return n * 2
    }
    expect(await atOnce([1, 2, 3, 4, 5], double, 2)).toEqual([2, 4, 6, 8, 10])
    expect(most).toBe(2)
    const begun: number[] = []
    const failing = atOnce(
      [1, 2, 3, 4, 5, 6],
      async (n) => {
        begun.push(n)
        if (n === 1) throw new Error("no")
        await Promise.resolve()
      },
      2,
    )
    await expect(failing).rejects.toThrow("no")
    expect(begun.length).toBeLessThan(6)
  })
})

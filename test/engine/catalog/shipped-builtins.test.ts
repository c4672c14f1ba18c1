// What an isolate keeps of the shipped files outlives whoever read them first.

import { readdirSync, readFileSync } from "node:fs"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { expect, test } from "vitest"
import { builtinsOf } from "../../../src/engine/catalog/catalog-ground.ts"

const src = fileURLToPath(new URL("../../../src", import.meta.url))

test("[F70] an object that dies while it reads the shipped files holds up no other", async () => {
  let tries = 0
  // The first reader dies: its promise is never settled.
  const files = () => (tries++ === 0 ? new Promise<Record<string, string>>(() => undefined) : Promise.resolve({}))
  void builtinsOf(files)
  const builtins = await builtinsOf(files)
  expect(await builtinsOf(files)).toBe(builtins)
  expect(tries).toBe(2)
})

test("[J12] no module keeps promises for a whole isolate: in workerd nobody settles those of an object that died", () => {
  const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"))
  expect(files.length).toBeGreaterThan(500)
  const kept = /^(?:export )?(?:const|let) \w+(?:: [^=]*Promise<[^=]*)? = new (?:Weak)?(?:Map|Lru|LruCache)<.*Promise</m
  expect(files.filter((file) => kept.test(readFileSync(path.join(src, file), "utf8")))).toEqual([])
})

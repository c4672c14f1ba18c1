// A hook, a schedule and a receiver are named by their id or by their file.

import { expect, test } from "vitest"
import { idOf } from "../../cli/by-name.ts"
import { SluiceError } from "../../src/client/transport/sluice-error.ts"

const list = (...rows: { id: string; name?: string }[]) => ({ all: () => Promise.resolve(rows) })

test("[W1] the name of a hook's file stands for its id", async () => {
  expect(await idOf(list({ id: "a" }, { id: "b", name: "tickets" }), "tickets")).toBe("b")
})

test("[W1] an id goes before a name, and a word that is neither is left to the server", async () => {
  expect(await idOf(list({ id: "b", name: "a" }, { id: "a" }), "a")).toBe("a")
  expect(await idOf(list({ id: "b", name: "tickets" }), "tickts")).toBe("tickts")
})

test("[W1] a key that may not list them names ids", async () => {
  const refused = { all: () => Promise.reject(new SluiceError({ status: 403, code: "forbidden", message: "The key lacks a scope." })) }
  expect(await idOf(refused, "tickets")).toBe("tickets")
})

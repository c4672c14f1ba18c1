// Which bodies of a refused request are left to the sweep [F71].

import { expect, test } from "vitest"
import { requestFiles } from "../../../src/cloudflare/clients/given-files.ts"
import { err, ok } from "../../../src/core/result.ts"

test("[F71] a refused request leaves what it stored, each body once, and nothing if it stored none", async () => {
  const left: (readonly string[])[] = []
  const file = (hash: string) => ({ path: hash, hash, size: 1 })
  const answers = [err([{ pointer: "/files/c", message: "is none" }]), ok([file("a"), file("b")]), ok([file("a")])]
  const files = requestFiles(
    async () => answers.shift() ?? ok([]),
    (hashes) => void left.push(hashes),
  )
  await files.keep({}, "/files")
  files.leave()
  expect(left).toEqual([])
  await files.keep({}, "/files")
  await files.keep({}, "/files")
  files.leave()
  expect(left).toEqual([["a", "b"]])
})

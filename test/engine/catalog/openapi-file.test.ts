// What is wrong in a file of tools that has an OpenAPI document is said at its member, with the way out.

import { expect, test } from "vitest"
import { readToolFile } from "../../../src/engine/catalog/config/tool-file.ts"

const document = {
  openapi: "3.1.0",
  info: { title: "t", version: "1" },
  paths: { "/a": { get: { operationId: "getOrder", responses: {} } } },
}

test("[T26] one word is no document, whatever it ends with", () => {
  const read = readToolFile("shop", { openapi: "shop.openapi.jsn" })
  expect(read).toMatchObject({
    error: [{ pointer: "/openapi", message: "names the file shop.openapi.jsn, which the project does not have" }],
  })
})
test("[T26] an operation that the document does not have is said at `only`, with the nearest", () => {
  const read = readToolFile("shop", { openapi: document, only: ["getOrdr"] })
  expect(read).toMatchObject({
    error: [{ pointer: "/only", message: expect.stringContaining('getOrdr; did you mean "getOrder"?') as string }],
  })
})

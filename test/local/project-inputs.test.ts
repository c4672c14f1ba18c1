// What the command line puts into a project's files and its server's environment before either is read.

import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { withDevVars } from "../../cli/dev/dev-vars.ts"
import { asAuthored, unfolded, withDocument } from "../../local/openapi-document.ts"

let folder = ""
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "sluice-inputs-"))
  await mkdir(path.join(folder, "tools"))
  await writeFile(path.join(folder, "shop.json"), '{"openapi":"3.0.0"}\n')
  await writeFile(path.join(folder, "tools/near.yaml"), "openapi: 3.0.0\n")
})
afterAll(() => rm(folder, { recursive: true, force: true }))

describe("the document of an OpenAPI tool", () => {
  const put = (text: string): Promise<string> => withDocument(folder, "tools/shop.yaml", text)

  test.each([
    ["a path from the project", "openapi: shop.json # ours\nprefix: a.\n", 'openapi: "{\\"openapi\\":\\"3.0.0\\"}\\n"\nprefix: a.\n'],
    ["a path from its folder", "prefix: a.\nopenapi: './near.yaml'\n", 'prefix: a.\nopenapi: "openapi: 3.0.0\\n"\n'],
  ])("[F79] %s is put in, and every line keeps its number", async (_, text, expected) => {
    expect(await put(text)).toBe(expected)
  })

  test.each([
    "openapi: gone.json\n",
    "openapi: ../../shop.json\n",
    "openapi: /etc/hosts.json\n",
    "openapi: https://a.example/x.json\n",
    "request: {}\n",
  ])("[F79] %j stays as it is", async (text) => {
    expect(await put(text)).toBe(text)
  })
})

test("[F79] an excerpt shows the file's own line, and a comparison the document's lines", async () => {
  const own = "openapi: shop.json # ours\nprefix: a.\n"
  await writeFile(path.join(folder, "tools/shop.yaml"), own)
  const sent = await withDocument(folder, "tools/shop.yaml", own)
  const shown = await asAuthored(
    folder,
    new Map([
      ["tools/shop.yaml", sent],
      ["tools/other.yaml", 'openapi: "{}"\n'],
    ]),
  )
  expect(Object.fromEntries(shown)).toEqual({ "tools/shop.yaml": own, "tools/other.yaml": 'openapi: "{}"\n' })
  expect(unfolded(sent)).toBe('openapi: |\n  {\n    "openapi": "3.0.0"\n  }\nprefix: a.\n')
  expect(unfolded(own)).toBe(own)
})

test("[N5] .dev.vars is read for the local server, but for the deployed Worker's keys; the environment comes first", async () => {
  await writeFile(
    path.join(folder, ".dev.vars"),
    'ALLOWED_PRIVATE_HOSTS="127.0.0.1:9112"\nOPEN_HOSTS=a.example\nADMIN_KEY=k\nVAULT_KEY=v\nPORT=\n',
  )
  expect(await withDevVars(folder, { OPEN_HOSTS: "b.example" })).toEqual({
    ALLOWED_PRIVATE_HOSTS: "127.0.0.1:9112",
    OPEN_HOSTS: "b.example",
  })
  expect(await withDevVars(path.join(folder, "tools"), { A: "1" })).toEqual({ A: "1" })
})

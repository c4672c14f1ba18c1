// The code in README.md, the guide and the package's README compiles against the package, with the types of the pages' own flows.

import { mkdtemp, readdir, readFile, rm } from "node:fs/promises"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { expect, test } from "vitest"
import { typesOf } from "../../cli/types/typed-project.ts"
import { filesIn } from "../../docs/guide/page-files.ts"
import { compiledIn } from "../package/compiled.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))

test("[F24c] every program and handler of the pages compiles, and each is found", async () => {
  const guide = (await readdir(path.join(root, "docs/guide"))).filter((name) => name.endsWith(".md")).map((name) => `docs/guide/${name}`)
  const code: Record<string, string> = {}
  const flows: Record<string, string> = {}
  const agents: Record<string, string> = {}
  for (const page of ["README.md", "package/README.md", ...guide.toSorted()])
    for (const [file, text] of filesIn(await readFile(path.join(root, page), "utf8"))) {
      const [, kind, name = ""] = /^(flows|agents)\/(.+)$/.exec(file) ?? []
      if (kind === "agents") agents[name] = text
      else if (kind === "flows") flows[name] = text
      else if (/\.(?:mjs|tsx?)$/.test(file)) code[`${path.basename(page, ".md")}/${file}`] = text
    }
  expect(Object.keys(code).toSorted()).toEqual([
    "02-write-a-flow/code/greet-all/clean.ts",
    "10-clients-and-deploying/client.mjs",
    "11-five-applications/chat.mjs",
    "11-five-applications/code/check-shop/count.ts",
    "11-five-applications/code/invoice/sum.ts",
    "16-tools-from-openapi/shop.mjs",
    "20-react-and-typed-tools/block-1.tsx",
    "20-react-and-typed-tools/block-2.ts",
    "20-react-and-typed-tools/code/quote/price.ts",
    "20-react-and-typed-tools/lib/money.ts",
    "24-is-it-better/code/reply/write.ts",
    "24-is-it-better/scorers/by-name.ts",
    "README/block-1.ts",
  ])
  const { "20-react-and-typed-tools/block-2.ts": worker = "", ...rest } = code
  const hello = await readFile(path.join(root, "templates/demo/flows/hello.yaml"), "utf8")
  const types = typesOf({ flows: { "hello.yaml": hello, ...flows }, agents })
  const folder = await mkdtemp(path.join(root, "dist", "types-"))
  try {
    expect(await compiledIn(folder, { ...rest, "sluice.d.ts": types, "proof.ts": PROOF }, ["node"])).toBe("")
    expect(await compiledIn(path.join(folder), { "index.ts": worker })).toBe("")
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}, 120_000)

/** The compiler sees the types of the pages' flows. */
const PROOF = `import { useRun } from "sluice/react"
export const total = useRun<"quote">("run_1").output?.total
// @ts-expect-error -- no such output
export const totl = useRun<"quote">("run_1").output?.totl
`

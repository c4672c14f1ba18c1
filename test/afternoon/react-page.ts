// Renders a React page that follows a run with the package's hook, in Chromium, as a visitor's browser does.

import { existsSync } from "node:fs"
import { createServer } from "node:http"
import { readFile } from "node:fs/promises"
import { once } from "node:events"
import type { AddressInfo } from "node:net"
import path from "node:path"
import type { Book } from "./book.ts"
import type { User } from "./user.ts"

const PAGE = `import { createRoot } from "react-dom/client"
import { Sluice } from "sluice"
import { SluiceProvider, useRun } from "sluice/react"

function Ticket({ run }: { run: string }) {
  const { status, output, error } = useRun<"support">(run, { view: "public" })
  if (error) return <p>{error.message}</p>
  return <p id="said">{status === "succeeded" ? \`We said: \${output?.said}\` : status}</p>
}
const { url, token, run } = (globalThis as unknown as { given: { url: string; token: string; run: string } }).given
createRoot(document.getElementById("root")!).render(
  <SluiceProvider client={new Sluice({ url, token })}>
    <Ticket run={run} />
  </SluiceProvider>,
)
`
const BROWSERS = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"].map((name) => `/usr/bin/${name}`)

export async function reactPage(user: User, url: string, book: Book): Promise<void> {
  const chromium = BROWSERS.find((file) => existsSync(file))
  book.check("there is a Chromium to render it", chromium !== undefined, "install it: apt-get install chromium")
  if (chromium === undefined) return
  const got = await user.type("npm", ["install", "--no-audit", "--no-fund", "react", "react-dom", "esbuild"])
  book.check("react installs beside the package", got.code === 0, got.out)
  await user.write({ "page.tsx": PAGE })
  const esbuild = path.join(user.folder, "node_modules/.bin/esbuild")
  const built = await user.type(esbuild, ["page.tsx", "--bundle", "--format=esm", "--jsx=automatic", "--outfile=page.js"])
  book.check("it bundles", built.code === 0, built.out)

  const run = /run_\w+/.exec((await user.sluice(["runs", "--status", "succeeded", "--flow", "support", "--limit", "1"])).out)?.[0] ?? ""
  const headers = { authorization: "Bearer sl_local_dev", "content-type": "application/json" }
  const made = await fetch(`${url}/v1/runs/${run}/token`, { method: "POST", headers, body: '{"view": "public"}' })
  const { token } = (await made.json()) as { token: string }
  const given = JSON.stringify({ url, token, run })
  const script = await readFile(path.join(user.folder, "page.js"), "utf8")
  const shop = createServer((request, response) => {
    const isPage = request.url === "/"
    response.setHeader("content-type", isPage ? "text/html" : "text/javascript")
    response.end(
      isPage ? `<div id="root"></div><script>var given = ${given}</script><script type="module" src="/page.js"></script>` : script,
    )
  })
  shop.listen(0, "127.0.0.1")
  await once(shop, "listening")
  const origin = `http://127.0.0.1:${(shop.address() as AddressInfo).port}`
  try {
    const dump = async (): Promise<string> =>
      (await user.type(chromium, ["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=15000", "--dump-dom", origin])).out
    book.says("an origin that is not allowed is told to the visitor's developer, and not waited for", await dump(), [
      /cors|origin|refused|reach/i,
    ])
    await user.write({ "cors.yaml": `origins: ["${origin}"]\n` })
    await user.sluice(["apply"])
    book.says("with the origin in cors.yaml the page shows what the run said", await dump(), [/We said: /])
  } finally {
    shop.close()
    shop.closeAllConnections()
  }
}

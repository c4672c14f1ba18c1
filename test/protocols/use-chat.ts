// The AI SDK's `useChat` in Chromium: a page that sends, watches, answers by parts, is loaded again while the run waits, and approves. The page is served
// from the origin that it calls.

import { access, readFile } from "node:fs/promises"
import { createServer, type ServerResponse } from "node:http"
import type { Readable } from "node:stream"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"
import type { Driven, Place } from "./place.ts"

const CHROMIUM = "/usr/bin/chromium"
const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url))

interface Page {
  goto(url: string): Promise<unknown>
  reload(): Promise<unknown>
  click(selector: string): Promise<void>
  textContent(selector: string): Promise<string | null>
  waitForSelector(selector: string, options?: { timeout: number }): Promise<unknown>
  on(event: "pageerror", heard: (error: Error) => void): void
}
interface Playwright {
  readonly chromium: { launch(options: object): Promise<{ newPage(): Promise<Page>; close(): Promise<void> }> }
}

export async function useChat(at: Place): Promise<Driven | "skipped"> {
  const isThere = await access(CHROMIUM).then(
    () => true,
    () => false,
  )
  if (!isThere && process.env["CI"] === undefined) return "skipped"
  const script = await bundled()
  const server = createServer((request, response) => {
    const to = request.url ?? "/"
    if (to.startsWith("/script.js")) response.end(script)
    else if (!to.startsWith("/v1/"))
      response.setHeader("content-type", "text/html").end(`<div id="root"></div><script src="/script.js"></script>`)
    else void forward(at, request.method ?? "GET", to, request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  const port = typeof address === "object" && address ? address.port : 0
  const { chromium } = (await import(here("node_modules/playwright-core/index.mjs"))) as Playwright
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] })
  try {
    const page = await browser.newPage()
    const faults: string[] = []
    page.on("pageerror", (error) => faults.push(String(error)))
    const open = async (chat: string): Promise<void> => void (await page.goto(`http://127.0.0.1:${port}/?chat=${chat}&flow=${at.flow}`))
    const see = async (what: string): Promise<void> => {
      await page.waitForSelector(what, { timeout: 20_000 }).catch(async () => {
        throw new Error(`${what} is not on the page: ${(await page.textContent("body")) ?? ""} ${faults.join("; ")}`)
      })
    }
    await open("one")
    await page.click("#send")
    await see("[data-question]")
    const run = await runOn(page)
    await page.reload()
    await see("[data-question]")
    await page.click("[data-question]")
    await see("[data-approval]")
    await page.reload()
    await see("[data-approval]")
    await page.click("[data-approval]")
    await see("[data-answer=written]")
    await open("two")
    await page.click("#send")
    await see("[data-question]")
    const canceled = await runOn(page)
    const r = await fetch(`${at.url}/v1/runs/${canceled}/cancel`, { method: "POST", headers: { authorization: `Bearer ${at.key}` } })
    if (!r.ok) throw new Error(`cancel: ${r.status}`)
    if (faults.length > 0) throw new Error(faults.join("; "))
    return { done: run, canceled }
  } finally {
    await browser.close()
    server.closeAllConnections()
    server.close()
  }
}

const runOn = async (page: Page): Promise<string> => {
  await page.waitForSelector("#run:not(:empty)", { timeout: 20_000 })
  return (await page.textContent("#run")) ?? ""
}

async function bundled(): Promise<string> {
  const made = await build({
    stdin: { contents: await readFile(here("page.mjs"), "utf8"), resolveDir: here("."), loader: "js" },
    bundle: true,
    write: false,
    format: "iife",
    define: { "process.env.NODE_ENV": '"production"' },
    logLevel: "silent",
  })
  return made.outputFiles[0]?.text ?? ""
}

async function forward(at: Place, method: string, to: string, request: Readable, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const left = new AbortController()
  response.on("close", () => left.abort())
  try {
    const r = await fetch(at.url + to, {
      method,
      signal: left.signal,
      headers: { authorization: `Bearer ${at.key}`, "content-type": "application/json" },
      ...(method === "POST" ? { body: Buffer.concat(chunks) } : {}),
    })
    response.writeHead(r.status, Object.fromEntries(r.headers))
    if (r.body) for await (const chunk of r.body) response.write(chunk)
    response.end()
  } catch {
    response.destroy()
  }
}

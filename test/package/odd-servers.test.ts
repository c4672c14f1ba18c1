// What answers at an address that is no Sluice server, or one that breaks: one line that says so, and what to do.

import { createServer, type RequestListener } from "node:http"
import { connect, type AddressInfo } from "node:net"
import { afterEach, describe, expect, test } from "vitest"
import { sluice } from "./sluice.ts"

const open = new Set<() => void>()
afterEach(() => {
  for (const close of open) close()
  open.clear()
})

async function served(act: RequestListener): Promise<string> {
  const server = createServer(act)
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  open.add(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const asked = async (url: string, command: readonly string[] = ["runs"]): Promise<readonly [number, string]> => {
  const { code, out, err } = await sluice([...command, "--url", url, "--key", "k"])
  return [code, out + err]
}

const page: RequestListener = (_, answer) => {
  answer.writeHead(200, { "content-type": "text/html" })
  answer.end("<html>Log in to the network</html>")
}

describe("a server that is none", () => {
  test("[H11] a page where JSON belongs is told as such", async () => {
    const url = await served(page)
    expect(await asked(url)).toEqual([
      1,
      `sluice: not JSON: <html>Log in to the network</html> (200 answer): is ${url} the address of a Sluice server? (of --url)\n`,
    ])
    expect((await asked(url, ["doctor"]))[1]).toContain(`${url} is not a Sluice server`)
  })

  test("[H11] an answer that breaks off is no connection", async () => {
    const url = await served((_, answer) => {
      answer.writeHead(200, { "content-type": "application/json" })
      answer.write('{"data":[', () => answer.destroy())
    })
    expect(await asked(url)).toEqual([5, expect.stringContaining(`no answer from ${url}`)])
  })

  test("[H11] a key that is not taken is told with where it came from", async () => {
    const url = await served((_, answer) => {
      answer.writeHead(401, { "content-type": "application/problem+json" })
      answer.end(JSON.stringify({ status: 401, code: "unauthorized", title: "t", detail: "Send `Authorization: Bearer KEY`." }))
    })
    expect(await asked(url)).toEqual([
      1,
      expect.stringContaining(`${url} does not take this key (of --key): sluice login --url ${url}, or --key (401 unauthorized)`),
    ])
    const { err } = await sluice(["runs", "--json"], { env: { SLUICE_URL: url, SLUICE_KEY: "k" } })
    expect(JSON.parse(err)).toMatchObject({ error: { code: "unauthorized", fix: expect.stringContaining("(of SLUICE_KEY)") } })
  })
})

test("[H11] a command that waits to be admitted says so, and for how long", async () => {
  let asked = 0
  const url = await served((_, answer) => {
    const isLate = ++asked > 1
    answer.writeHead(isLate ? 202 : 429, { "content-type": "application/json", "retry-after": "1" })
    answer.end(JSON.stringify(isLate ? { id: "run_x", status: "queued" } : { status: 429, code: "quota", detail: "d" }))
  })
  const { code, out, err } = await sluice(["run", "one", "--detach", "--url", url, "--key", "k"])
  expect([code, out, err]).toEqual([0, "run_x\n", "too much at once (429): trying again in 1 s\n"])
})

test("[E4] a server that goes away while a run is watched is told, tried again, and then no connection", async () => {
  const server = createServer((_, answer) => {
    answer.writeHead(200, { "content-type": "text/event-stream" })
    answer.write(": here\n\n", () => {
      // Nobody listens from here on.
      server.close()
      server.closeAllConnections()
    })
  })
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { code, err } = await sluice(["watch", "run_x", "--url", url, "--key", "k"])
  expect([code, err]).toEqual([
    5,
    `the connection is lost, and is tried again; the run goes on\nsluice: no answer from ${url}: is the server running? (sluice dev)\n`,
  ])
})

describe("an address and a key", () => {
  test.each([
    ["http://user:hunter2@127.0.0.1:1/base", "write http://127.0.0.1:1/base"],
    ["http://127.0.0.1:1/?tenant=x", "write http://127.0.0.1:1"],
    ["http://127.0.0.1:1/#top", "write http://127.0.0.1:1"],
    ["ftp://127.0.0.1", "is not a URL"],
  ])("[H11] %s is refused before anything is sent, and no password is repeated", async (url, words) => {
    for (const command of [["runs"], ["login"]]) {
      const [code, text] = await asked(url, command)
      expect([code, text]).toEqual([2, expect.stringContaining(words)])
      expect(text).not.toContain("hunter2")
    }
  })

  test.each(["two words", "line\nend", "schlüssel", "tab\t"])("[H11] a key such as %j is no key, and is not repeated", async (key) => {
    for (const command of ["runs", "login"]) {
      const { code, err } = await sluice([command, "--url", "http://127.0.0.1:1", "--key", key])
      expect([code, err]).toEqual([2, expect.stringContaining("copy it again")])
      expect(err).not.toContain(key)
    }
  })
})

describe("a proxy", () => {
  /** Everything that it is asked for is on this port here. */
  async function proxied(port: number): Promise<{ readonly url: string; readonly asked: string[] }> {
    const asked: string[] = []
    const proxy = createServer((_, answer) => void answer.writeHead(501).end())
    proxy.on("connect", ({ url: place }, socket) => {
      asked.push(String(place))
      const there = connect(port, "127.0.0.1", () => {
        socket.write("HTTP/1.1 200 OK\r\n\r\n")
        there.pipe(socket)
        socket.pipe(there)
      })
      for (const one of [there, socket]) one.on("error", () => there.destroy())
      open.add(() => there.destroy())
    })
    await new Promise<void>((listening) => proxy.listen(0, "127.0.0.1", listening))
    open.add(() => {
      proxy.closeAllConnections()
      proxy.close()
    })
    return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, asked }
  }
  const runs: RequestListener = (_, answer) => {
    answer.writeHead(200, { "content-type": "application/json" })
    answer.end(JSON.stringify({ data: [], next_cursor: null }))
  }
  const command = ["runs", "--json", "--url", "http://flows.example", "--key", "k"]

  test.each(["HTTP_PROXY", "http_proxy"])("[H11] of the environment is used for other machines (%s)", async (name) => {
    const proxy = await proxied(Number(new URL(await served(runs)).port))
    const { code, out, err } = await sluice(command, { env: { [name]: proxy.url } })
    expect([code, err, JSON.parse(out)]).toEqual([0, "", { data: [] }])
    expect(proxy.asked).toEqual(["flows.example:80"])
  })

  test("[H11] is not used for this machine, and is named when it does not answer", async () => {
    const url = await served(runs)
    const env = { HTTP_PROXY: "http://me:hunter2@127.0.0.1:1", HTTPS_PROXY: "http://127.0.0.1:1" }
    expect((await sluice(["runs", "--url", url, "--key", "k"], { env })).code).toBe(0)
    const { code, err } = await sluice(["doctor", "--json", ...command.slice(2)], { env })
    expect([code, err]).toEqual([1, ""])
    const refused = await sluice(["login", ...command.slice(2)], { env })
    expect([refused.code, refused.err]).toEqual([5, expect.stringContaining("through the proxy 127.0.0.1:1:")])
    expect(refused.err).not.toContain("hunter2")
  })
})

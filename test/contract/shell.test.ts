// The contract of a shell, for both implementations: the Worker's own, and a sandbox with real processes.

import { afterAll, vi } from "vitest"
import { HostSandboxes } from "../sandbox/host-sandbox.ts"
import { ToolBench } from "../support/engine/tool-bench.ts"
import { Machine } from "./machine.ts"
import { FILES, shellContract } from "./shell.ts"

shellContract("just-bash", async (access = {}) => {
  const bench = await ToolBench.holding(FILES, access)
  const bytes = async (path: string): Promise<Uint8Array | undefined> => {
    const entry = bench.index.stat(path)
    return entry && (await bench.blobs.get(entry.hash))
  }
  return {
    call: (name, args) => bench.call(name, args),
    text: (path) => bench.text(path),
    bytes,
    paths: () => bench.index.list("").map((f) => f.path),
  }
})

vi.setConfig({ testTimeout: 60_000 })

const hosts = new HostSandboxes()
let runs = 0
afterAll(() => hosts.destroy())

shellContract("a sandbox", async (access = {}) => {
  const machine = new Machine({ hosts, run: `run_${++runs}` })
  for (const [path, body] of Object.entries(FILES)) await machine.put(path, body)
  return {
    call: (name, args) => machine.call(name, args, { access }),
    text: (path) => machine.text(path),
    bytes: (path) => machine.bytes(path),
    paths: () => machine.paths(),
  }
})

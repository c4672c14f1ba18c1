// A run's sandbox as its tools use it, without a Worker: the adapter and the run's record of sandboxes are those of src/cloudflare,
// the storage is a map, and the sandboxes are processes of this machine (test/sandbox/host-sandbox.ts).

import { RunContainers } from "../../src/cloudflare/sandbox/containers.ts"
import type { SandboxNamespace } from "../../src/cloudflare/platform/sandbox-stub.ts"
import type { Access } from "../../src/core/tool/policy/access.ts"
import { canonical, type JsonObject } from "../../src/core/json.ts"
import { validateArgs } from "../../src/core/schema/validate-args.ts"
import { executeTool, type CallOutcome } from "../../src/engine/run/call/execute-tool.ts"
import { MemoryBlobs, MemoryIndex } from "../../src/engine/run/memory-store.ts"
import { scopedWorkspace } from "../../src/engine/run/call/scoped-workspace.ts"
import { sha256 } from "../../src/engine/sha256.ts"
import { StagedWorkspace } from "../../src/engine/run/call/staged-workspace.ts"
import { toolsByName, toolsFor } from "../../src/tools/toolbox.ts"
import { NO_SKILLS } from "../support/engine/tool-bench.ts"
import { HostSandboxes } from "../sandbox/host-sandbox.ts"

export function namespaceOf(hosts: HostSandboxes): SandboxNamespace {
  const ids = new Map<DurableObjectId, string>()
  const namespace: SandboxNamespace = {
    idFromName(name) {
      const id: DurableObjectId = { name, toString: () => name, equals: (other) => other.toString() === name }
      ids.set(id, name)
      return id
    },
    get: (id) => hosts.get(ids.get(id) ?? id.toString()),
    jurisdiction: () => namespace,
  }
  return namespace
}

/** Like the object's storage: it survives a restart of the object. */
export class MapStorage implements SyncKvStorage {
  readonly #rows = new Map<string, unknown>()

  get<T = unknown>(key: string): T | undefined {
    return this.#rows.get(key) as T | undefined
  }
  put<T>(key: string, value: T): void {
    this.#rows.set(key, value)
  }
  delete(key: string): boolean {
    return this.#rows.delete(key)
  }
  list<T = unknown>({ prefix = "" }: SyncKvListOptions = {}): Iterable<[string, T]> {
    return [...this.#rows].filter(([key]) => key.startsWith(prefix)) as [string, T][]
  }
}

export class Machine {
  readonly index = new MemoryIndex()
  readonly blobs = new MemoryBlobs()
  readonly hosts: HostSandboxes
  readonly kv: MapStorage
  readonly run: string
  readonly open: boolean
  containers: RunContainers
  #calls = 0

  constructor({ hosts = new HostSandboxes(), run = "run_1", open = true }: { hosts?: HostSandboxes; run?: string; open?: boolean } = {}) {
    this.hosts = hosts
    this.run = run
    this.open = open
    this.kv = new MapStorage()
    this.containers = this.#made()
  }

  /** A restart of the object: its memory is lost, its storage is not. */
  restart(): void {
    this.containers = this.#made()
  }

  #made(): RunContainers {
    return new RunContainers({ SANDBOX: namespaceOf(this.hosts), ...(this.open ? {} : { SANDBOX_INTERNET: "off" }) }, this.kv)
  }

  async put(path: string, body: string | Uint8Array): Promise<void> {
    const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body
    this.index.take([{ path, base: this.index.stat(path)?.hash ?? null, hash: await this.blobs.put(bytes), size: bytes.length }], 1)
  }

  async bytes(path: string): Promise<Uint8Array | undefined> {
    const entry = this.index.stat(path)
    return entry && (await this.blobs.get(entry.hash))
  }

  async text(path: string): Promise<string | undefined> {
    const body = await this.bytes(path)
    return body && new TextDecoder().decode(body)
  }

  paths(): string[] {
    return this.index.list("").map(({ path }) => path)
  }

  async call(
    name: string,
    args: JsonObject = {},
    {
      access = {},
      key = `call ${++this.#calls}`,
      signal = new AbortController().signal,
      commits = true,
      tainted = false,
    }: {
      access?: Access
      key?: string
      signal?: AbortSignal
      /** false: the answer is lost before it is journaled. */
      commits?: boolean
      tainted?: boolean
    } = {},
  ): Promise<CallOutcome> {
    const tool = TOOLS[this.open ? "open" : "sealed"].get(name)
    if (tool === undefined) throw new Error(`no tool ${name}`)
    const valid = validateArgs(tool.parameters, args)
    if (!valid.ok) throw new Error(valid.error.map((e) => `${e.path} ${e.message}`).join("; "))
    const stage = new StagedWorkspace({ index: this.index, blobs: this.blobs, now: () => 2 })
    const exec = this.containers.open("acme", this.run, canonical([access]), key)
    const powers = { workspace: scopedWorkspace(stage, access), skills: NO_SKILLS, place: { tainted }, ...(exec ? { exec } : {}) }
    const outcome = await executeTool(
      { tool, args: valid.value, signal, powers },
      {
        callId: key,
        sha256,
        keep: async () => "kept-1",
        nonce: () => "0badcafe",
      },
    )
    if (!outcome.isError && commits) this.index.take(stage.changes, 2)
    return outcome
  }
}

const TOOLS = { open: toolsByName(toolsFor("open")), sealed: toolsByName(toolsFor("sealed")) }

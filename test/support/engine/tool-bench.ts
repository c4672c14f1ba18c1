// The workbench for a tool test: a workspace in memory with some files, and a call made as the engine makes it.

import type { Access } from "../../../src/core/tool/policy/access.ts"
import type { JsonObject } from "../../../src/core/json.ts"
import { validateArgs } from "../../../src/core/schema/validate-args.ts"
import { executeTool, type CallOutcome } from "../../../src/engine/run/call/execute-tool.ts"
import { MemoryBlobs, MemoryIndex } from "../../../src/engine/run/memory-store.ts"
import { scopedWorkspace } from "../../../src/engine/run/call/scoped-workspace.ts"
import { sha256 } from "../../../src/engine/sha256.ts"
import { StagedWorkspace } from "../../../src/engine/run/call/staged-workspace.ts"
import type { FileEntry } from "../../../src/ports/workspace.ts"
import type { SkillLibrary, Tool, ToolPowers } from "../../../src/ports/tool.ts"
import { TOOLS, toolsByName } from "../../../src/tools/toolbox.ts"

export const NO_SKILLS: SkillLibrary = { names: () => [], files: () => undefined, read: async () => undefined }

export class ToolBench {
  readonly index = new MemoryIndex()
  readonly blobs = new MemoryBlobs()
  readonly #tools = toolsByName(TOOLS)
  readonly #powers: Partial<ToolPowers>
  readonly #access: Access

  constructor(powers: Partial<ToolPowers> = {}, access: Access = {}) {
    this.#powers = powers
    this.#access = access
  }

  static async holding(files: Readonly<Record<string, string | Uint8Array>>, access: Access = {}): Promise<ToolBench> {
    const bench = new ToolBench({}, access)
    for (const [path, body] of Object.entries(files)) await bench.put(path, body)
    return bench
  }

  async put(path: string, body: string | Uint8Array, marks: Pick<FileEntry, "tainted" | "private"> = {}): Promise<void> {
    const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body
    this.index.take([{ path, base: null, hash: await this.blobs.put(bytes), size: bytes.length, ...marks }], 1)
  }

  async text(path: string): Promise<string | undefined> {
    const entry = this.index.stat(path)
    const body = entry && (await this.blobs.get(entry.hash))
    return body && new TextDecoder().decode(body)
  }

  /** Validated, executed over a stage, and committed unless it failed; with the marks of what it read and named [G11]. */
  async call(name: string, args: JsonObject = {}, signal?: AbortSignal): Promise<CallOutcome> {
    const tool = this.#tools.get(name)
    if (tool === undefined) throw new Error(`no tool ${name}`)
    const valid = validateArgs(tool.parameters, args)
    if (!valid.ok) throw new Error(valid.error.map((e) => `${e.path} ${e.message}`).join("; "))
    const stage = new StagedWorkspace({ index: this.index, blobs: this.blobs, now: () => 2 })
    const powers = { workspace: scopedWorkspace(stage, this.#access), skills: NO_SKILLS, ...this.#powers }
    const outcome = await execute(tool, valid.value, powers, signal, () => stage.sawTainted)
    if (!outcome.isError) this.index.take(stage.changes, 2)
    return stage.sawPrivate ? { ...outcome, private: true } : outcome
  }
}

export const execute = (
  tool: Tool,
  args: JsonObject,
  powers: ToolPowers,
  signal = new AbortController().signal,
  sawOutside = (): boolean => false,
): Promise<CallOutcome> =>
  executeTool(
    { tool, args, signal, powers },
    {
      callId: "call-1",
      sha256,
      keep: async () => "kept-1",
      nonce: () => "0badcafe",
      sawOutside,
    },
  )

/** All text of an outcome; a failed outcome begins with `ERROR`. */
export const said = (outcome: CallOutcome): string =>
  (outcome.isError ? "ERROR " : "") + outcome.content.map((part) => (part.type === "text" ? part.text : "[image]")).join("\n")

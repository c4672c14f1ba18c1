// Golden journals: runs as they were once written and shown, with the definitions that they pin (test/fixtures/journals).

import { createHash } from "node:crypto"
import { readdirSync, readFileSync, statSync } from "node:fs"
import type { RunEvent } from "../../../src/core/run/event.ts"
import { compile, type Plan } from "../../../src/core/run/plan.ts"
import type { SnapshotParts } from "../../../src/core/run/snapshot.ts"
import type { RunView } from "../../../src/core/run/views/view.ts"
import type { ToolSpec } from "../../../src/core/tool/tool-spec.ts"
import { loadDefinitions } from "../../../src/engine/catalog/definitions.ts"
import { MemoryBlobs } from "../../../src/engine/run/memory-store.ts"
import { specOf } from "../../../src/engine/catalog/registered-tools.ts"

export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")

export interface Golden {
  readonly name: string
  /** The views that the build showed, by `seq`. */
  readonly views: readonly RunView[]
  /** SHA-256 of the last event's text [J7]. */
  readonly head: string
  readonly events: readonly RunEvent[]
  /** The snapshot that its kernel took during the run. */
  readonly snapshot: SnapshotParts
  /** The plan of the pinned definitions and the build's tools: their texts count in the size of a request. */
  readonly plan: Plan
}

/** All journals in one build's folder. Definitions are found by their hashes, as in a run. */
export async function goldens(folder: URL): Promise<Golden[]> {
  const text = (path: string): string => readFileSync(new URL(path, folder), "utf8")
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) => statSync(new URL(path, folder)).isFile())
  const blobs = new MemoryBlobs()
  for (const path of paths) if (path.includes("/")) await blobs.put(readFileSync(new URL(path, folder)))
  const tools = JSON.parse(text("tools.json")) as ToolSpec[]
  const names = paths.filter((path) => path.endsWith(".jsonl")).toSorted()
  return Promise.all(
    names.map(async (path) => {
      const name = path.slice(0, -".jsonl".length)
      const [first = "", ...lines] = text(path).trimEnd().split("\n")
      const { head, views } = JSON.parse(first) as Pick<Golden, "head" | "views">
      const events = lines.map((line) => JSON.parse(line) as RunEvent)
      const snapshot = JSON.parse(text(`${name}.snapshot.json`)) as SnapshotParts
      return { name, head, views, events, snapshot, plan: await planOf(events, tools, blobs) }
    }),
  )
}

async function planOf([first]: readonly RunEvent[], tools: readonly ToolSpec[], blobs: MemoryBlobs): Promise<Plan> {
  if (first?.type !== "run.started") throw new Error("a journal begins with run.started")
  const { flow, agents, skills, tools: registered } = await loadDefinitions(first.pinned, blobs)
  return compile({
    flow,
    agents,
    skills: Object.fromEntries(Object.entries(skills).map(([name, { skill }]) => [name, skill])),
    tools: [...tools, ...registered.map(specOf)],
  })
}

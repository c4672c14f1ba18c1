// What a command line sees of an agent's skills [F61].

import { expect, test } from "vitest"
import { speaksOfSkills, withSkills } from "../../../src/tools/shell/skill-mount.ts"
import { MemoryBlobs } from "../../../src/engine/run/memory-store.ts"
import { StagedWorkspace } from "../../../src/engine/run/call/staged-workspace.ts"
import { ToolBench } from "../../support/engine/tool-bench.ts"

const library = (count: number, text: string) => ({
  names: () => ["s"],
  files: () => Array.from({ length: count }, (_, n) => `f${n}`),
  read: async () => text,
})
const empty = () => new StagedWorkspace({ index: new ToolBench().index, blobs: new MemoryBlobs(), now: () => 1 })

test("[F61] the shell sees 1,000 files of skills, and 16 MiB of them", async () => {
  expect(await (await withSkills(empty(), library(2_000, "x"))).list("")).toHaveLength(1_000)
  const large = await (await withSkills(empty(), library(100, "x".repeat(1_048_576)))).list("skills")
  expect(large.length).toBeLessThan(24)
})

test("[F61] only a command line that speaks of skills reads them; a file of the workspace stays what it is", async () => {
  expect([speaksOfSkills("ls", ""), speaksOfSkills("ls", "skills/s"), speaksOfSkills("cat /skills/s/f0", "")]).toEqual([false, true, true])
  const workspace = empty()
  await workspace.write("skills/s/f0", new TextEncoder().encode("own"))
  const mounted = await withSkills(workspace, library(2, "text"))
  expect(new TextDecoder().decode(await mounted.read("skills/s/f0"))).toBe("own")
  expect(new TextDecoder().decode(await mounted.read("skills/s/f1"))).toBe("text")
  expect((await mounted.stat("skills/s/f1"))?.hash).toMatch(/^[0-9a-f]{64}$/)
  expect(mounted.refusal("skills/s/f1")).toContain("cannot be changed")
})

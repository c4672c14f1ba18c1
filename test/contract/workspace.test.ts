// The workspace contract over memory.

import { describe, expect, test } from "vitest"
import { MemoryBlobs, MemoryIndex } from "../../src/engine/run/memory-store.ts"
import { StagedWorkspace } from "../../src/engine/run/call/staged-workspace.ts"
import { blobsContract } from "./blobs.ts"
import { workspaceContract } from "./workspace.ts"

blobsContract("MemoryBlobs", () => new MemoryBlobs())

workspaceContract("memory", () => {
  const index = new MemoryIndex()
  return { index, blobs: new MemoryBlobs(), commit: (changes, now) => index.take(changes, now) }
})

describe("a missing body", () => {
  test("[G10] is an error, not a missing file", async () => {
    const index = new MemoryIndex()
    index.take([{ path: "a", base: null, hash: "0".repeat(64), size: 1 }], 1)
    await expect(new StagedWorkspace({ index, blobs: new MemoryBlobs(), now: () => 1 }).read("a")).rejects.toThrow(/missing or damaged/)
  })
})

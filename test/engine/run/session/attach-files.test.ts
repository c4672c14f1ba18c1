// Reading the files that a model is to be shown [F56]: by their bytes, through the agent's view of the workspace, within one request's room.

import { describe, expect, test } from "vitest"
import type { Access } from "../../../../src/core/tool/policy/access.ts"
import { MAX_ATTACHED, MAX_ATTACHED_BYTES } from "../../../../src/core/run/session/files/attachment.ts"
import { attachFiles } from "../../../../src/engine/run/begin/attach-files.ts"
import { MemoryBlobs, MemoryIndex } from "../../../../src/engine/run/memory-store.ts"
import { pagesOf } from "../../../../src/engine/run/pdf-pages.ts"
import { scopedWorkspace } from "../../../../src/engine/run/call/scoped-workspace.ts"
import { StagedWorkspace } from "../../../../src/engine/run/call/staged-workspace.ts"
import { packedPdf, pdf, png } from "../../../support/media/media.ts"
import { cpuClock } from "../../../support/cpu-clock.ts"

async function attach(
  files: Record<string, Uint8Array>,
  more: { paths?: string[]; access?: Access; tainted?: string; window?: number } = {},
) {
  const blobs = new MemoryBlobs()
  const index = new MemoryIndex()
  for (const [path, body] of Object.entries(files))
    index.take(
      [{ path, base: null, hash: await blobs.put(body), size: body.length, ...(path === more.tainted ? { tainted: true } : {}) }],
      1,
    )
  const staged = new StagedWorkspace({ index, blobs, now: () => 2 })
  const workspace = scopedWorkspace(staged, more.access ?? {})
  const found = await attachFiles(more.paths ?? Object.keys(files), { workspace, window: more.window ?? 200_000 })
  return { ...found, staged }
}

describe("files to show", () => {
  test("[F56] each is named by hash, type and size; what cannot be shown says why", async () => {
    const { attached, unseen } = await attach(
      { "a.png": png(10, 20), "b.pdf": pdf(3), "c.png": new TextEncoder().encode("no picture"), "d.bin": png(5, 5) },
      { paths: ["a.png", "b.pdf", "c.png", "d.bin", "gone.png"], tainted: "b.pdf" },
    )
    expect(attached).toMatchObject([
      { path: "a.png", type: "image/png", width: 10, height: 20, hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
      { path: "b.pdf", type: "application/pdf", pages: 3, tainted: true },
      { path: "d.bin", type: "image/png" },
    ])
    expect(attached[0]).not.toHaveProperty("tainted")
    expect(unseen).toEqual([
      { path: "c.png", why: "its name says image/png, but its bytes say otherwise" },
      { path: "gone.png", why: "it does not exist, or this agent may not read it" },
    ])
  })

  test("[G7] [F56] a file that the agent may not read is as if it did not exist", async () => {
    const { attached, unseen } = await attach({ "open/a.png": png(1, 1), "secret/b.png": png(1, 1) }, { access: { read: ["open/**"] } })
    expect(attached.map(({ path }) => path)).toEqual(["open/a.png"])
    expect(unseen).toEqual([{ path: "secret/b.png", why: "it does not exist, or this agent may not read it" }])
  })

  test("[G11] [F56] a picture from outside counts as read", async () => {
    expect((await attach({ "a.png": png(1, 1) }, { tainted: "a.png" })).staged.sawTainted).toBe(true)
    const clean = (await attach({ "a.png": png(1, 1) })).staged
    expect([clean.sawTainted, clean.sawPrivate]).toEqual([false, true])
  })

  test("[F56] only as many as one request shows", async () => {
    const many = Object.fromEntries(Array.from({ length: MAX_ATTACHED + 2 }, (_, i) => [`${i}.png`, png(i + 1, 1)]))
    const { attached, unseen } = await attach(many)
    expect(attached).toHaveLength(MAX_ATTACHED)
    expect(unseen.map(({ why }) => why)).toEqual(Array(2).fill("a model is shown at most 20 files at once: read it to look at it"))
    const half = MAX_ATTACHED_BYTES / 2 - 1_000_000
    const large = await attach({ "a.png": png(1, 1, half), "b.png": png(2, 1, half), "c.png": png(3, 1, half), "d.png": png(4, 1) })
    expect(large.attached.map(({ path }) => path)).toEqual(["a.png", "b.png", "d.png"])
    expect(large.unseen).toMatchObject([{ path: "c.png", why: expect.stringContaining(`${MAX_ATTACHED_BYTES} bytes of files`) }])
  })

  test("[F56] a file that would take more than half of the model's window is not shown", async () => {
    const { unseen } = await attach({ "a.pdf": pdf(40) }, { window: 128_000 })
    expect(unseen).toMatchObject([{ why: expect.stringContaining("more than half of the model's context window") }])
    expect((await attach({ "a.pdf": pdf(40) }, { window: 1_000_000 })).attached).toHaveLength(1)
  })
})

describe("the pages of a PDF", () => {
  test("[F56] are counted in packed objects too", async () => {
    expect(pagesOf(await packedPdf(7))).toBe(7)
    expect((await attach({ "a.pdf": await packedPdf(12) })).attached).toMatchObject([{ pages: 12, tokens: 12 * 4_600 }])
  })

  test("[F56] are guessed from the size when they cannot be counted, and a bomb costs a bounded amount of work", async () => {
    const bomb = await packedPdf(1, " ".repeat(40 * 1024 * 1024))
    const spent = cpuClock()
    expect(pagesOf(bomb)).toBeUndefined()
    const many = new TextEncoder().encode("%PDF-1.5\n" + "/ObjStm /Length 9 >> stream\nxxxxxxxxx endstream\n".repeat(100_000))
    expect(pagesOf(many)).toBeUndefined()
    expect(spent()).toBeLessThan(16_000)
    const packed = await packedPdf(3)
    const damaged = packed.map((byte, i) => (i > packed.length - 60 && i < packed.length - 30 ? 0 : byte))
    expect((await attach({ "a.pdf": damaged })).attached).toMatchObject([{ tokens: 4_600 }])
  })
})

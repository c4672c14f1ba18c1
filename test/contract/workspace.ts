// What every workspace and its index promise (ports/workspace.ts), tested on each: memory in Node, SQL in a run's object.

import { describe, expect, test } from "vitest"
import { conflicts, StagedWorkspace, type WorkspaceIndex } from "../../src/engine/run/call/staged-workspace.ts"
import type { Blobs } from "../../src/ports/blobs.ts"
import { MAX_FILE_BYTES, type FileChange } from "../../src/ports/workspace.ts"

export interface WorkspaceBench {
  readonly index: WorkspaceIndex
  readonly blobs: Blobs
  /** How the commit of a call applies its changes. */
  commit(changes: readonly FileChange[], now: number): void
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const textOf = (body: Uint8Array | undefined): string | undefined => body && new TextDecoder().decode(body)

export function workspaceContract(name: string, fresh: () => Promise<WorkspaceBench> | WorkspaceBench): void {
  const open = (bench: WorkspaceBench, now = 1_000): StagedWorkspace =>
    new StagedWorkspace({ index: bench.index, blobs: bench.blobs, now: () => now })
  /** A bench that has these files. */
  const holding = async (files: Readonly<Record<string, string>>): Promise<WorkspaceBench> => {
    const bench = await fresh()
    const ws = open(bench)
    for (const [path, text] of Object.entries(files)) await ws.write(path, bytes(text))
    bench.commit(ws.changes, 1_000)
    return bench
  }

  describe(`workspace: ${name}`, () => {
    test("[T20] a written file is read back, in the same call and after the commit", async () => {
      const bench = await fresh()
      const ws = open(bench, 7)
      expect(await ws.write("docs/ü.md", bytes("hello"))).toEqual({ created: true })
      expect(textOf(await ws.read("docs/ü.md"))).toBe("hello")
      expect(await ws.stat("docs/ü.md")).toEqual({ path: "docs/ü.md", size: 5, hash: expect.stringMatching(/^[0-9a-f]{64}$/), modified: 7 })
      bench.commit(ws.changes, 9)
      const later = open(bench)
      expect(textOf(await later.read("docs/ü.md"))).toBe("hello")
      expect((await later.stat("docs/ü.md"))?.modified).toBe(9)
      expect(await later.write("docs/ü.md", bytes("again"))).toEqual({ created: false })
    })

    test("[J11] without a commit nothing is stored", async () => {
      const bench = await holding({ "a.md": "old" })
      const ws = open(bench)
      await ws.write("a.md", bytes("new"))
      await ws.write("b.md", bytes("new"))
      expect(textOf(await open(bench).read("a.md"))).toBe("old")
      expect(await open(bench).stat("b.md")).toBeUndefined()
      expect(await open(bench).list("")).toHaveLength(1)
    })

    test("[J11] a call repeated after its commit has no conflict and no change", async () => {
      const bench = await holding({ "a.md": "old" })
      const call = async (): Promise<readonly FileChange[]> => {
        const ws = open(bench)
        await ws.write("a.md", bytes("new"))
        return ws.changes
      }
      const first = await call()
      const again = await call()
      expect(again).toEqual(first)
      bench.commit(first, 1)
      expect(conflicts(again, bench.index)).toEqual([])
      expect(await call()).toEqual([])
    })

    test("[J11] a change is based on what the call saw; a change by another call in between is a conflict", async () => {
      const bench = await holding({ "a.md": "old" })
      const one = open(bench)
      const two = open(bench)
      await one.read("a.md")
      await two.write("a.md", bytes("two"))
      await two.write("new.md", bytes("two"))
      await one.stat("new.md")
      bench.commit(two.changes, 2)
      await one.write("a.md", bytes("one"))
      await one.write("new.md", bytes("one"))
      await one.write("free.md", bytes("one"))
      expect(conflicts(one.changes, bench.index).map((c) => c.path)).toEqual(["a.md", "new.md"])
    })

    test("[J11] many writes of one path are one change, from the first base to the last body", async () => {
      const bench = await holding({ "a.md": "old" })
      const ws = open(bench)
      const base = (await ws.stat("a.md"))?.hash
      await ws.write("a.md", bytes("1"))
      await ws.write("a.md", bytes("22"))
      expect(ws.changes).toEqual([{ path: "a.md", base, hash: (await ws.stat("a.md"))?.hash, size: 2 }])
      await ws.write("a.md", bytes("old"))
      expect(ws.changes).toEqual([])
    })

    test("[T20] a list is sorted by path, and a prefix is a folder or a file, not the start of a name", async () => {
      const bench = await holding({ "b.md": "", "a/y": "", "a/x": "", ab: "", "a/z/deep": "", "%": "", "a_/q": "" })
      const ws = open(bench)
      await ws.write("a/new", bytes(""))
      const paths = async (prefix: string): Promise<string[]> => (await ws.list(prefix)).map((e) => e.path)
      expect(await paths("")).toEqual(["%", "a/new", "a/x", "a/y", "a/z/deep", "a_/q", "ab", "b.md"])
      expect(await paths("a")).toEqual(["a/new", "a/x", "a/y", "a/z/deep"])
      expect(await paths("a/z")).toEqual(["a/z/deep"])
      expect(await paths("ab")).toEqual(["ab"])
      expect(await paths("none")).toEqual([])
      // Wildcards of a query are plain names here.
      expect(await paths("%")).toEqual(["%"])
      expect(await paths("a_")).toEqual(["a_/q"])
    })

    test("[T20] binary and empty bodies come back byte for byte", async () => {
      const bench = await fresh()
      const ws = open(bench)
      const body = Uint8Array.from({ length: 300_000 }, (_, i) => (i * 31) % 256)
      await ws.write("bin", body)
      await ws.write("empty", new Uint8Array())
      bench.commit(ws.changes, 1)
      expect(await open(bench).read("bin")).toEqual(body)
      expect(await open(bench).read("empty")).toEqual(new Uint8Array())
      expect(await open(bench).read("none")).toBeUndefined()
    })

    test("[T20] a file larger than 10 MiB is refused and leaves nothing", async () => {
      const ws = open(await fresh())
      await expect(ws.write("big", new Uint8Array(MAX_FILE_BYTES + 1))).rejects.toThrow(/10485761 bytes/)
      expect(ws.changes).toEqual([])
    })

    test("[T20] a path is a file or a folder, never both", async () => {
      const ws = open(await holding({ "a/b": "x" }))
      await expect(ws.write("a", bytes(""))).rejects.toThrow(/is a folder/)
      await expect(ws.write("a/b/c", bytes(""))).rejects.toThrow(/a\/b is a file/)
      await ws.write("n/m", bytes(""))
      await expect(ws.write("n", bytes(""))).rejects.toThrow(/is a folder/)
      await expect(ws.write("n/m/o", bytes(""))).rejects.toThrow(/n\/m is a file/)
    })

    test("[T20] a file is removed in the same call and after the commit, and a folder can take its name", async () => {
      const bench = await holding({ a: "x", "b/c": "y" })
      const ws = open(bench)
      expect([await ws.remove("a"), await ws.remove("a"), await ws.remove("none")]).toEqual([true, false, false])
      expect([await ws.stat("a"), await ws.read("a"), (await ws.list("")).map((e) => e.path)]).toEqual([undefined, undefined, ["b/c"]])
      expect(textOf(await open(bench).read("a"))).toBe("x")
      await ws.write("a/new", bytes("z"))
      await ws.remove("b/c")
      await ws.write("b", bytes("q"))
      expect(ws.changes.map((c) => [c.path, c.hash === null])).toEqual([
        ["a", true],
        ["a/new", false],
        ["b/c", true],
        ["b", false],
      ])
      bench.commit(ws.changes, 5)
      expect((await open(bench).list("")).map((e) => e.path)).toEqual(["a/new", "b"])
    })

    test("[J11] a file written and removed in one call is not a change, nor is a file removed and restored unchanged", async () => {
      const bench = await holding({ a: "x" })
      const ws = open(bench)
      await ws.write("n", bytes("1"))
      await ws.remove("n")
      await ws.remove("a")
      await ws.write("a", bytes("x"))
      expect(ws.changes).toEqual([])
    })

    test("[J11] removing a file that another call changed is a conflict; removing a file that another call removed is not", async () => {
      const bench = await holding({ a: "x", b: "x" })
      const one = open(bench)
      const two = open(bench)
      await one.list("")
      await two.write("a", bytes("two"))
      await two.remove("b")
      bench.commit(two.changes, 2)
      await one.remove("a")
      const gone = open(bench)
      expect(conflicts(one.changes, bench.index).map((c) => c.path)).toEqual(["a"])
      expect(conflicts(two.changes, bench.index)).toEqual([])
      expect(await gone.remove("b")).toBe(false)
    })

    test("[J11] writing a listed file is a conflict if it was changed in between", async () => {
      const bench = await holding({ a: "x" })
      const one = open(bench)
      await one.list("")
      const two = open(bench)
      await two.write("a", bytes("two"))
      bench.commit(two.changes, 2)
      await one.write("a", bytes("one"))
      expect(conflicts(one.changes, bench.index).map((c) => c.path)).toEqual(["a"])
    })

    test("[G11] reading reports whether the body came from outside; a survey, a stat and the call's own writes do not", async () => {
      const bench = await holding({ clean: "x", dirty: "y" })
      const marking = open(bench)
      await marking.write("dirty", bytes("z"))
      bench.commit(
        marking.changes.map((c) => ({ ...c, tainted: true })),
        3,
      )

      const looking = open(bench)
      expect((await looking.survey("")).map((e) => e.tainted === true)).toEqual([false, true])
      expect((await looking.stat("dirty"))?.tainted).toBe(true)
      await looking.write("own", bytes("o"))
      await looking.read("own")
      await looking.read("none")
      expect([looking.sawTainted, looking.sawPrivate]).toEqual([false, false])
      await looking.read("clean")
      expect([looking.sawTainted, looking.sawPrivate]).toEqual([false, true])
      await looking.read("dirty")
      expect(looking.sawTainted).toBe(true)

      const over = open(bench)
      await over.write("dirty", bytes("clean again"))
      bench.commit(over.changes, 4)
      expect((await open(bench).stat("dirty"))?.tainted).toBeUndefined()
    })

    test("[G11] a name that is listed or named has the marks of its file, unless the call chose it", async () => {
      const bench = await holding({ clean: "x", dirty: "y", both: "z" })
      const marking = open(bench)
      for (const path of ["dirty", "both"]) await marking.write(path, bytes("0"))
      bench.commit(
        marking.changes.map((c) => ({ ...c, tainted: true, ...(c.path === "both" ? { private: true } : {}) })),
        3,
      )
      const marks = async (look: (ws: StagedWorkspace) => Promise<void>): Promise<[boolean, boolean]> => {
        const ws = open(bench)
        await look(ws)
        return [ws.sawTainted, ws.sawPrivate]
      }
      const named = (path: string) => async (ws: StagedWorkspace) => ws.named((await ws.survey("")).filter((file) => file.path === path))
      expect(await marks(async (ws) => void (await ws.list("clean")))).toEqual([false, true])
      expect(await marks(async (ws) => void (await ws.list("")))).toEqual([true, true])
      expect(await marks(named("dirty"))).toEqual([true, false])
      expect(await marks(named("both"))).toEqual([true, true])
      const own = async (ws: StagedWorkspace, path: string): Promise<void> => {
        await ws.write(path, bytes("own"))
        await named(path)(ws)
      }
      expect(await marks((ws) => own(ws, "own"))).toEqual([false, false])
      expect(await marks((ws) => own(ws, "dirty"))).toEqual([true, false])
    })

    test.each(["../x", "/x", "a//b", "./a", "a/", "a\0", "e\u0301", ""])(
      "[G7] the path %j is not normalized, and refused",
      async (path) => {
        const ws = open(await fresh())
        await expect(ws.write(path, bytes("x"))).rejects.toThrow()
        await expect(ws.read(path)).rejects.toThrow()
        await expect(ws.stat(path)).rejects.toThrow()
      },
    )

    test.each(["__proto__", "constructor/prototype", "'; DROP TABLE files; --"])("[T20] %j is an ordinary name", async (path) => {
      const bench = await holding({ [path === "__proto__" ? "x" : path]: "y" })
      const ws = open(bench)
      await ws.write(path, bytes("z"))
      bench.commit(ws.changes, 1)
      expect(textOf(await open(bench).read(path))).toBe("z")
    })
  })
}

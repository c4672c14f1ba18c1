// The contract of a shell over a workspace [T20]: what bash and shell.exec promise wherever their commands run.

import { describe, expect, test } from "vitest"
import type { Access } from "../../src/core/tool/policy/access.ts"
import type { JsonObject } from "../../src/core/json.ts"
import type { CallOutcome } from "../../src/engine/run/call/execute-tool.ts"

export interface ShellBench {
  call(name: string, args: JsonObject): Promise<CallOutcome>
  /** undefined: there is no such file. */
  text(path: string): Promise<string | undefined>
  bytes(path: string): Promise<Uint8Array | undefined>
  paths(): string[]
}

export const FILES: Readonly<Record<string, string | Uint8Array>> = {
  "a.txt": "hello\nworld\n",
  "out/x.txt": "x\n",
  "secret/key": "k\n",
  "grüße/ä b.txt": "umlaut\n",
  "bin.dat": Uint8Array.from([0, 255, 7, 10, 13, 0]),
}

export const said = (outcome: CallOutcome): string =>
  (outcome.isError ? "ERROR " : "") +
  outcome.content.map((part) => (part.type === "text" ? part.text.replaceAll(OUTSIDE, "") : "[image]")).join("\n")
/** Delimiters around text from outside depend on the binding, not on the shell. */
const OUTSIDE = /^<untrusted id="[0-9a-f]+" source="[^"]*">\n|\n<\/untrusted id="[0-9a-f]+">$/g

export function shellContract(name: string, holding: (access?: Access) => Promise<ShellBench>): void {
  describe(`${name}: the contract of a shell`, () => {
    const run = async (command: string, args: JsonObject = {}, access: Access = {}) => {
      const bench = await holding(access)
      return { bench, said: said(await bench.call("bash", { command, ...args })) }
    }

    test.each([
      ["cat a.txt | grep -n wor", "2:world"],
      ["sort -r a.txt | head -1 | tr a-z A-Z", "WORLD"],
      ["awk '{ n += length($1) } END { print n }' a.txt", "10"],
      ['for f in out/*; do echo "$f"; done', "out/x.txt"],
      ["echo 'grüße €' | wc -c", "12"],
      ["cat <(echo 1) <(echo 2)", "1\n2"],
      ["cat 'grüße/ä b.txt'", "umlaut"],
      ["true", "[no output]"],
      ["cat nowhere 2>&1 >/dev/null | grep -c 'No such file'", "1"],
      ["echo out; echo err >&2; exit 3", "out\n[stderr]\nerr\n[exit code 3]"],
      ["false", "[exit code 1]"],
      ["set -- 'a b' c; echo $#", "2"],
    ])("[T20] %s", async (command, answer) => expect((await run(command)).said).toBe(answer))

    test("[T20] files are written, appended to, copied, moved and removed, and the workspace has them", async () => {
      const { bench } = await run(
        "mkdir -p new/deep && echo 1 > new/deep/f; echo 2 >> new/deep/f; cp a.txt b.txt; mv out moved; rm bin.dat; sed -i s/hello/bye/ a.txt",
      )
      expect(bench.paths()).toEqual(["a.txt", "b.txt", "grüße/ä b.txt", "moved/x.txt", "new/deep/f", "secret/key"])
      expect([await bench.text("new/deep/f"), await bench.text("a.txt"), await bench.text("b.txt")]).toEqual([
        "1\n2\n",
        "bye\nworld\n",
        "hello\nworld\n",
      ])
    })

    test("[T20] bytes are the same bytes, both ways", async () => {
      const { bench, said: answer } = await run("wc -c < bin.dat | tr -d ' '; cat bin.dat bin.dat > twice.dat; : > empty")
      expect(answer).toBe("6")
      expect(await bench.bytes("twice.dat")).toEqual(Uint8Array.from([0, 255, 7, 10, 13, 0, 0, 255, 7, 10, 13, 0]))
      expect(await bench.bytes("empty")).toEqual(new Uint8Array())
    })

    test("[T20] a file's place can be taken by a folder, and a folder's by a file", async () => {
      const { bench } = await run("rm a.txt; mkdir a.txt; echo q > a.txt/q; rm -r out; echo o > out")
      expect(bench.paths()).toEqual(["a.txt/q", "bin.dat", "grüße/ä b.txt", "out", "secret/key"])
      expect(said(await bench.call("bash", { command: "cat a.txt/q out" }))).toBe("q\no")
    })

    test("[T20] the next call sees the files of the previous one, and variables are not kept", async () => {
      const bench = await holding()
      await bench.call("bash", { command: "echo one > log; X=1; export X" })
      expect(said(await bench.call("bash", { command: 'cat log; echo "[$X]"' }))).toBe("one\n[]")
    })

    test("[T20] scripts in the workspace can be run", async () => {
      expect((await run("printf '#!/bin/bash\\necho got $1\\n' > s.sh; chmod +x s.sh; ./s.sh one")).said).toBe("got one")
    })

    test("[T20] shell.exec starts in the given folder", async () => {
      const bench = await holding()
      expect(said(await bench.call("shell.exec", { command: "cat x.txt; echo y > y.txt", cwd: "out" }))).toBe("x")
      expect(await bench.text("out/y.txt")).toBe("y\n")
      expect(said(await bench.call("shell.exec", { command: "pwd", cwd: "nowhere" }))).toMatch(/nowhere|exit code 1/)
    })

    test("[G7] files that an agent may not read do not exist for any command", async () => {
      const access = { read: ["*.txt", "out/**"] }
      const { said: answer } = await run("cat secret/key; ls -A; find . -name key; grep -r k . | grep -v world", {}, access)
      expect(answer).toMatch(/No such file/)
      expect(answer).not.toMatch(/^k$|\.\/secret|^secret/m)
    })

    test("[G7] files that an agent may not write stay unchanged, and this is reported", async () => {
      const access = { write: ["out/**"] }
      const bench = await holding(access)
      const answer = said(await bench.call("bash", { command: "echo mine > a.txt; echo new > b.txt; echo ok > out/z.txt; rm secret/key" }))
      expect([await bench.text("a.txt"), await bench.text("secret/key"), await bench.text("out/z.txt")]).toEqual([
        "hello\nworld\n",
        "k\n",
        "ok\n",
      ])
      expect(bench.paths()).not.toContain("b.txt")
      for (const path of ["a.txt", "b.txt", "secret/key"]) expect(answer).toContain(`may not write ${path}`)
      // And the next command finds the real state.
      expect(said(await bench.call("bash", { command: "cat a.txt secret/key out/z.txt" }))).toContain("hello\nworld\nk\nok")
    })

    test("[T6] a command that times out fails, and its files do not reach the workspace", async () => {
      const bench = await holding()
      const answer = said(await bench.call("bash", { command: "echo x > late; sleep 30", timeout: 700 }))
      expect(answer).toMatch(/ERROR bash timed out after 700 ms/)
      expect(bench.paths()).not.toContain("late")
    })
  })
}

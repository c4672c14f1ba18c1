// The shell over a workspace: what it does to files, what it must not see, and how it ends.

import { describe, expect, test } from "vitest"
import type { Access } from "../../../src/core/tool/policy/access.ts"
import { executeTool } from "../../../src/engine/run/call/execute-tool.ts"
import { scopedWorkspace } from "../../../src/engine/run/call/scoped-workspace.ts"
import { StagedWorkspace } from "../../../src/engine/run/call/staged-workspace.ts"
import { bash, shellExec } from "../../../src/tools/shell/bash.ts"
import { NO_SKILLS, said, ToolBench } from "../../support/engine/tool-bench.ts"

const FILES = {
  "a.txt": "hello\nworld\n",
  "out/x.txt": "x\n",
  "secret/key": "k\n",
  "data.json": '[{"n":1},{"n":2}]',
}
const run = async (command: string, access: Access = {}, args: Readonly<Record<string, number>> = {}) => {
  const bench = await ToolBench.holding(FILES, access)
  const outcome = await bench.call("bash", { command, ...args })
  return { bench, outcome, said: said(outcome), paths: bench.index.list("").map((f) => f.path) }
}

describe("skills in the shell", () => {
  const files: Readonly<Record<string, string>> = { "SKILL.md": "# Style", "scripts/say.sh": "echo said $1" }
  const skills = {
    names: () => ["style"],
    files: (skill: string) => (skill === "style" ? ["scripts/say.sh"] : undefined),
    read: async (skill: string, file: string) => (skill === "style" ? files[file] : undefined),
  }
  const inShell = async (command: string) => {
    const bench = new ToolBench({ skills })
    await bench.put("a.txt", "A")
    return { said: said(await bench.call("bash", { command })), paths: () => bench.index.list("").map((f) => f.path) }
  }

  test.each([
    ["cat /skills/style/SKILL.md", "# Style"],
    ["bash /skills/style/scripts/say.sh it", "said it"],
    ["ls -R /skills | head -2", "/skills:\nstyle"],
    ["wc -c < skills/style/SKILL.md", "7"],
    ["ls", "a.txt"],
  ])("[F61] %s", async (command, answer) => expect((await inShell(command)).said).toBe(answer))

  test("[F61] they cannot be changed, are not files of the workspace, and can be copied into it", async () => {
    const refused = await inShell("echo x > /skills/style/SKILL.md; rm /skills/style/scripts/say.sh; cp /skills/style/SKILL.md mine.md")
    expect(refused.said).toContain("cannot be changed")
    expect(refused.paths()).toEqual(["a.txt", "mine.md"])
  })
})

describe("bash", () => {
  test.each([
    ["cat a.txt | grep -n wor", "2:world"],
    ["sort -r a.txt | head -1 | tr a-z A-Z", "WORLD"],
    ["jq '[.[].n] | add' data.json", "3"],
    ["awk '{ n += length($1) } END { print n }' a.txt", "10"],
    ["sed -n 's/wor/WOR/p' /a.txt", "WORld"],
    ['for f in *.txt out/*; do echo "$f"; done', "a.txt\nout/x.txt"],
    ["cd out && pwd && ls", "/out\nx.txt"],
    ["echo 'grüße €' | wc -c", "12"],
    ["cat <(echo 1) <(echo 2)", "1\n2"],
    ["find . -name '*.txt' | sort", "./a.txt\n./out/x.txt"],
    ["true", "[no output]"],
    // Option values directly after the option, as people write them.
    ["printf 'a\\nb\\n' | xargs -n1 echo x", "x a\nx b"],
    ["printf 'a\\nb\\n' | xargs -I{} echo '<{}>'", "<a>\n<b>"],
    ["printf 'a\\0b\\0' | xargs -0n1 echo x -n1", "x -n1 a\nx -n1 b"],
    ["printf 'a,b' | xargs -d, -P2 -n 1 echo x -I{}", "x -I{} a\nx -I{} b"],
    ["split -l1 a.txt part. && cat part.ab && split -l1 out/x.txt part. && cat part.aa", "world\nx"],
  ])("[T20] %s", async (command, answer) => expect((await run(command)).said).toBe(answer))

  test("[T20] files are written, appended to, copied, moved and removed, and the run has them", async () => {
    const { bench, paths } = await run(
      "mkdir -p new/deep && echo 1 > new/deep/f; echo 2 >> new/deep/f; cp a.txt b.txt; mv out moved; rm data.json; sed -i s/hello/bye/ a.txt",
    )
    expect(paths).toEqual(["a.txt", "b.txt", "moved/x.txt", "new/deep/f", "secret/key"])
    expect([await bench.text("new/deep/f"), await bench.text("a.txt"), await bench.text("b.txt")]).toEqual([
      "1\n2\n",
      "bye\nworld\n",
      "hello\nworld\n",
    ])
  })

  test("[T20] a folder can replace a file, and an empty folder leaves nothing", async () => {
    expect((await run("rm a.txt; mkdir a.txt; echo q > a.txt/q; mkdir empty")).paths).toEqual([
      "a.txt/q",
      "data.json",
      "out/x.txt",
      "secret/key",
    ])
  })

  test("[T20] scripts in the workspace run, and bytes pass through unchanged", async () => {
    expect((await run("printf '#!/bin/bash\\necho got $1\\n' > s.sh; ./s.sh one; bash s.sh two")).said).toBe("got one\ngot two")
    const bench = await ToolBench.holding({ "b.bin": Uint8Array.from([0, 255, 128, 10]) })
    expect(said(await bench.call("bash", { command: "cat b.bin" }))).toBe("[4 bytes that are not text; write them to a file with >]")
    await bench.call("bash", { command: "cat b.bin > c.bin; cp b.bin d.bin" })
    const hashes = bench.index.list("").map((f) => f.hash)
    expect(new Set(hashes).size).toBe(1)
  })

  test("[T20] links are not kept, and the message says so", async () => {
    for (const command of ["ln -s a.txt l", "ln a.txt l"])
      expect((await run(command)).said).toMatch(/^\[stderr\]\nln: .*a workspace keeps no links, copy the file.*\n\[exit code 1\]$/)
  })

  test("[T20] an exit code is not a tool failure: both streams and the code are reported, and written files stay", async () => {
    const { outcome, said: answer, bench } = await run("echo out; echo err >&2; echo kept > k.txt; exit 3")
    expect(outcome.isError).toBe(false)
    expect(answer).toBe("out\n[stderr]\nerr\n[exit code 3]")
    expect(outcome.details).toEqual({ exitCode: 3, stdout: "out\n", stderr: "err\n" })
    expect(await bench.text("k.txt")).toBe("kept\n")
  })

  test.each(["python3 -c 1", "curl http://example.com", "wget x", "ssh host", "node x.js", "nonsense"])(
    "[T20] %s is an unavailable command, and the message says so",
    async (command) => {
      const { said: answer } = await run(command)
      expect(answer).toBe(`[stderr]\nbash: ${command.split(" ")[0]}: command not found\n[exit code 127]`)
    },
  )

  test("[T20] there is no host: none of its files, nothing in the environment", async () => {
    expect((await run("cat /etc/passwd /proc/self/environ; ls /")).said).toBe(
      "a.txt\ndata.json\nout\nsecret\n[stderr]\ncat: /etc/passwd: No such file or directory\ncat: /proc/self/environ: No such file or directory",
    )
    const names = (await run("env | cut -d= -f1 | sort")).said.split("\n").filter((line) => /^[A-Z]/.test(line))
    expect(names).toEqual([
      "BASHOPTS",
      "HOME",
      "HOSTNAME",
      "HOSTTYPE",
      "IFS",
      "MACHTYPE",
      "OLDPWD",
      "OPTIND",
      "OSTYPE",
      "PATH",
      "PWD",
      "SHELLOPTS",
    ])
  })

  test("[T20] a syntax error is reported with its position", async () =>
    expect((await run("if true; then")).said).toMatch(/syntax error.*\n\[exit code 2\]/))
})

describe("bash within access", () => {
  const OUT: Access = { read: ["out/**"], write: ["out/**"] }

  test.each([
    "cat a.txt",
    "cat /a.txt",
    "cat out/../a.txt",
    "cat ./out//../secret/key",
    "< a.txt cat",
    "head secret/key",
    "source a.txt",
    "jq . data.json",
  ])("[G7] %s finds nothing there", async (command) => {
    const { said: answer } = await run(command, OUT)
    expect(answer).toMatch(/No such file/)
    expect(answer).not.toMatch(/hello|world|k\n/)
  })

  test("[G7] listings omit hidden files", async () => {
    expect((await run("ls -R; find . -type f; echo *; grep -r . .", OUT)).said).not.toMatch(/a\.txt|secret|data\.json|hello/)
  })

  test.each([
    "echo BAD > secret.txt",
    "echo BAD >> up.txt",
    "cp out/x.txt up.txt",
    "mv out/x.txt up.txt",
    "tee up.txt < out/x.txt",
    "touch up.txt",
    "echo BAD | tee out/ok.txt up.txt",
    "cat out/x.txt &> up.txt",
  ])("[G7] %s is refused by the shell, reported, and leaves no file; the line continues", async (command) => {
    const { outcome, said: answer, paths } = await run(`${command}\ncode=$?\necho fine > out/three.txt; exit $code`, OUT)
    expect(outcome.isError).toBe(false)
    expect(answer).toMatch(/this agent may not write (secret|up)\.txt; it may write: out\/\*\*/)
    expect(answer).toMatch(/\[exit code 1\]/)
    expect(paths.filter((p) => !p.startsWith("out/"))).toEqual(["a.txt", "data.json", "secret/key"])
    expect(paths).toContain("out/three.txt")
  })

  test("[G7] readable but not writable files cannot be removed, moved or changed either", async () => {
    const { bench, paths } = await run("rm a.txt; rm -rf out /; mv a.txt out/a.txt; sed -i s/h/j/ a.txt; : > a.txt", { write: ["out/**"] })
    expect(paths.filter((p) => !p.startsWith("out/"))).toEqual(["a.txt", "data.json", "secret/key"])
    expect(await bench.text("a.txt")).toBe(FILES["a.txt"])
  })

  test("[G7] rm -rf of a folder with hidden files leaves them", async () => {
    expect((await run("rm -rf *", { read: ["out/**"] })).paths).toEqual(["a.txt", "data.json", "secret/key"])
  })

  test.each(["a%2e", "x\\\\y", "dir/ ends ", "no."])("[G7] a file cannot be called %j", async (name) => {
    const { paths, said: answer } = await run(`echo x > '${name}'; echo x | tee '${name}' > /dev/null`)
    expect(paths).toEqual(Object.keys(FILES).toSorted())
    expect(answer).toMatch(/exit code 1/)
  })
})

describe("bash within limits", () => {
  test.each([
    ["while true; do :; done", /too many (commands|iterations)/],
    ["f() { f; }; f", /recursion depth/],
    ["awk 'BEGIN { while (1) i++ }'", /maximum iterations/],
    ["x=a; while true; do x=$x$x; done", /limit exceeded/],
    ["seq 1 100000000", /limit exceeded/],
    ["jq -n '[range(1000000000)]'", /limit exceeded/],
    ["sed ':a;ba' <<< x", /maximum iterations/],
    ["diff <(seq 1 3000) <(seq 5 9000)", /at most 4000/],
    [":(){ :|:& };:", /recursion depth/],
  ])("[T20] %s ends, and says why", async (command, why) => {
    const { said: answer } = await run(command)
    expect(answer).toMatch(why)
    expect(answer).toMatch(/\[exit code \d+\]$/)
    expect(answer).not.toMatch(/executionLimits/)
  })

  test("[T20] patterns run in linear time", async () => {
    const long = `${"a".repeat(60)}!`
    const { said: answer } = await run(
      `[[ ${long} =~ ^(a+)+$ ]]; echo $?; echo ${long} | grep -cE '^(a+)+$'; echo ${long} | sed -E 's/^(a+)+$/x/'`,
    )
    expect(answer).toBe(`1\n0\n${long}`)
  })

  test("[T6] its time limit ends it, the model is informed, and nothing is written", async () => {
    const { outcome, said: answer, paths } = await run("echo x > early.txt; sleep 60", {}, { timeout: 50 })
    expect([outcome.isError, answer]).toEqual([true, "ERROR bash timed out after 50 ms"])
    expect(paths).toEqual(Object.keys(FILES).toSorted())
  })

  test("[T20] a thousand appends are one body", async () => {
    const bench = await ToolBench.holding({})
    let puts = 0
    const stage = new StagedWorkspace({
      index: bench.index,
      blobs: { put: (b) => (puts++, bench.blobs.put(b)), get: (h) => bench.blobs.get(h) },
      now: () => 2,
    })
    const powers = { workspace: scopedWorkspace(stage, {}), skills: NO_SKILLS }
    const deps = { callId: "c", sha256: async () => "d", keep: async () => "h", nonce: () => "00000000" }
    await executeTool(
      { tool: bash, args: { command: "for i in $(seq 1 1000); do echo $i >> n.txt; done" }, signal: new AbortController().signal, powers },
      deps,
    )
    expect([puts, stage.changes.length, stage.changes[0]?.size]).toEqual([1, 1, 3893])
  })

  test("[T20] one call writes only a limited amount", async () => {
    const { said: answer, paths } = await run("for i in $(seq 1 1010); do echo $i > f$i; done")
    expect(paths).toHaveLength(1_000 + Object.keys(FILES).length)
    expect(answer).toMatch(/may write 1000 files/)
  })

  test("[G11] tainted files it reads mark the call, and so does a file name from a tainted session", async () => {
    const bench = await ToolBench.holding(FILES)
    bench.index.take(
      [{ path: "page.md", base: null, hash: await bench.blobs.put(new TextEncoder().encode("from outside")), size: 12, tainted: true }],
      1,
    )
    const saw = async (command: string): Promise<boolean> => {
      const stage = new StagedWorkspace({ index: bench.index, blobs: bench.blobs, now: () => 2 })
      const done = await bash.execute("c", { command }, new AbortController().signal, undefined, { workspace: stage, skills: NO_SKILLS })
      return stage.sawTainted || done.untrusted === true
    }
    expect([await saw("cat a.txt; ls out"), await saw("ls"), await saw("echo *.md"), await saw("find . -name '*.md'")]).toEqual([
      false,
      true,
      true,
      true,
    ])
    expect([await saw("cat a.txt"), await saw("cat page.md > /dev/null"), await saw("grep -r out .")]).toEqual([false, true, true])
  })
})

describe("shell.exec", () => {
  test("[T20] is the same shell, with a starting folder", async () => {
    const bench = await ToolBench.holding(FILES)
    expect(said(await bench.call("shell.exec", { command: "pwd; ls", cwd: "out" }))).toBe("/out\nx.txt")
    expect(said(await bench.call("shell.exec", { command: "pwd", cwd: "nowhere" }))).toMatch(/ERROR cwd: there is no folder nowhere/)
    expect(said(await bench.call("shell.exec", { command: "pwd", cwd: "../x" }))).toMatch(/ERROR .*leads out/)
    expect([shellExec.same, bash.same]).toEqual(["bash", "bash"])
  })
})

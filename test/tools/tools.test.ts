// Each shipped tool by itself, as a model would call it.

import { describe, expect, test } from "vitest"
import { TOOLKIT_TOOLS } from "../../src/core/tool/toolkits.ts"
import type { JsonObject } from "../../src/core/json.ts"
import type { Author } from "../../src/ports/tenant/catalog.ts"
import type { SkillLibrary, SubagentResult, Subagents } from "../../src/ports/tool.ts"
import { missingTools, shippedTools } from "../../src/cloudflare/capabilities/missing-tools.ts"
import { systemFacts } from "../../src/cloudflare/capabilities/system-facts.ts"
import { ABSENT } from "../../src/tools/absent.ts"
import { askUser } from "../../src/tools/agents/ask-user.ts"
import { read } from "../../src/tools/files/read.ts"
import { ARCHITECT_TOOLS, SPECS, TOOLS, toolsByName } from "../../src/tools/toolbox.ts"
import { validateArgs } from "../../src/core/schema/validate-args.ts"
import { said, ToolBench } from "../support/engine/tool-bench.ts"
import { cpuClock } from "../support/cpu-clock.ts"

describe("toolbox", () => {
  test("[T2] two tools with one name are refused", () => expect(() => toolsByName([...TOOLS, read])).toThrow(/"read"/))

  test("[T1] every tool describes each argument and refuses unknown ones", () => {
    for (const spec of SPECS.values()) {
      // flowai's names have capitals [C23, C33].
      expect(spec.name).toMatch(TOOLKIT_TOOLS.has(spec.name) ? /^[a-z][A-Za-z_]*$/ : /^[a-z][a-z0-9_]*(\.[a-z]+)?$/)
      expect(spec.description.length).toBeGreaterThan(20)
      expect(validateArgs(spec.parameters, { nonsense: 1 }).ok).toBe(false)
      const properties: JsonObject = JSON.parse(JSON.stringify(spec.parameters["properties"]))
      for (const property of Object.values(properties)) expect(property).toHaveProperty("description")
    }
  })

  test("[T1] which tools each agent may be offered: the seed's table, and the file tools for every agent", () => {
    const holds = (context: "main" | "agent" | "architect"): ReadonlySet<string> =>
      new Set([...SPECS.values()].filter((t) => t.contexts.includes(context)).map((t) => t.name))
    const [main, agent, architect] = [holds("main"), holds("agent"), holds("architect")]
    for (const name of [...FILE_TOOLS, "bash", "shell.exec", "system.info", "skill_read"])
      expect([name, main.has(name), agent.has(name), architect.has(name)]).toEqual([name, true, true, true])
    expect(["read_output", "tool_search"].map((name) => [main.has(name), agent.has(name)])).toEqual([
      [false, true],
      [false, true],
    ])
    expect([main.has("ask_user"), agent.has("ask_user")]).toEqual([true, true])
    expect([main.has("subagent"), agent.has("subagent"), architect.has("subagent")]).toEqual([true, false, false])
    for (const name of ARCHITECT_TOOLS)
      expect([name, main.has(name), agent.has(name), architect.has(name)]).toEqual([name, true, false, true])
  })

  test("[J11] workspace changes may be repeated; effects elsewhere may not", () => {
    const again = (name: string): boolean => SPECS.get(name)?.effect === "write" && SPECS.get(name)?.idempotent === true
    for (const name of ["write", "edit", "file.write", "file.edit", "bash", "shell.exec", "agent_write", "flow_write"])
      expect([name, again(name)]).toEqual([name, true])
    for (const name of ["executePlan", "browser.click", "browser.type"]) expect([name, again(name)]).toEqual([name, false])
  })

  test("[T30] a tool and its alias are the same for every rule", () => {
    const pairs = [
      ["read", "file.read"],
      ["write", "file.write"],
      ["edit", "file.edit"],
      ["ls", "file.list"],
      ["bash", "shell.exec"],
    ]
    for (const [one, other] of pairs) expect(SPECS.get(other ?? "")?.same).toBe(SPECS.get(one ?? "")?.same)
    for (const name of FILE_TOOLS) expect([name, SPECS.get(name)?.groups]).toEqual([name, ["fs"]])
  })

  test("[T25] a tool that a Worker cannot run by itself is not offered without its binding, and says what it needs", () => {
    for (const { name, reason, needs } of ABSENT) {
      expect(shippedTools({}).map((tool) => tool.name)).not.toContain(name)
      expect(missingTools({}).get(name)).toBe(reason)
      expect(reason).toMatch(/needs a .* binding/)
      expect(needs).not.toBe("")
    }
  })
})

const FILE_TOOLS = ["read", "write", "edit", "grep", "find", "glob", "ls", "file.read", "file.write", "file.edit", "file.list"]

describe("aliases of the file tools", () => {
  const FILES = { "notes/plan.md": "one\ntwo\n", "a.md": "x", "bin.dat": Uint8Array.from([0, 255, 7]) }

  test.each(["notes/plan.md", "@notes/plan.md", "/notes/plan.md", "@/notes/plan.md"])("[T20] file.read takes %s", async (path) => {
    expect(said(await (await ToolBench.holding(FILES)).call("file.read", { path }))).toBe("one\ntwo\n")
  })

  test.each(["notes/plan.md", "@notes/plan.md", "@/notes/plan.md"])("[T1] read takes %s, as pi's tools do", async (path) => {
    expect(said(await (await ToolBench.holding(FILES)).call("read", { path }))).toContain("one")
  })

  test("[T20] base64 survives a round trip", async () => {
    const bench = await ToolBench.holding(FILES)
    const content = said(await bench.call("file.read", { path: "bin.dat", encoding: "base64" }))
    expect(content).toBe("AP8H")
    await bench.call("file.write", { path: "copy.dat", content, encoding: "base64" })
    expect(bench.index.stat("copy.dat")?.hash).toBe(bench.index.stat("bin.dat")?.hash)
    expect(said(await bench.call("file.write", { path: "x", content: "!", encoding: "base64" }))).toMatch(/ERROR content is not base64/)
    expect(said(await bench.call("file.read", { path: "bin.dat" }))).toMatch(/ERROR bin\.dat is not text/)
  })

  test("[T20] file.edit changes exactly one place", async () => {
    const bench = await ToolBench.holding({ "a.md": "one two one" })
    const edit = async (search: string) => said(await bench.call("file.edit", { path: "@a.md", search, replace: "2" }))
    expect(await edit("one")).toMatch(
      /ERROR search occurs 2 times in a\.md \(lines 1, 1\): include more of the text around the occurrence you mean$/,
    )
    expect(await edit("three")).toMatch(/ERROR search is not in a\.md/)
    await edit("two")
    expect(await bench.text("a.md")).toBe("one 2 one")
  })

  test("[T20] file.list and glob", async () => {
    const bench = await ToolBench.holding(FILES)
    expect(said(await bench.call("file.list"))).toBe("a.md\nbin.dat\nnotes/")
    expect(said(await bench.call("file.list", { path: ".", recursive: true }))).toBe("a.md\nbin.dat\nnotes/plan.md")
    expect(said(await bench.call("file.list", { path: "/notes" }))).toBe("plan.md")
    expect(said(await bench.call("glob", { pattern: "*.md" }))).toBe("a.md\nnotes/plan.md")
  })

  test.each(["../x", "@../x", "/../../x", "a/%2e%2e/x"])("[G7] file.* refuse %s", async (path) => {
    const bench = await ToolBench.holding(FILES)
    const calls = [
      bench.call("file.read", { path }),
      bench.call("file.write", { path, content: "x" }),
      bench.call("file.edit", { path, search: "a", replace: "b" }),
      bench.call("file.list", { path }),
    ]
    for (const outcome of await Promise.all(calls)) expect(outcome.isError).toBe(true)
    expect(bench.index.list("")).toHaveLength(3)
  })

  test("[T25] system.info shows what the deployment declares, and nothing about a host", async () => {
    const facts = systemFacts({ ENVIRONMENT: "local" })
    const shown = said(await new ToolBench({ system: facts }).call("system.info"))
    expect(JSON.parse(shown)).toMatchObject({ environment: "local", limits: { fileBytes: 10_485_760 }, bound: { workersAi: false } })
    expect(said(await new ToolBench().call("system.info"))).toMatch(/^ERROR/)
  })
})

const NAUGHTY = [
  "../x",
  "/../x",
  "a/../../x",
  "out/%2e%2e/x",
  "..%2fx",
  "..\\x",
  "a\0",
  "",
  ".",
  "a/",
  "．．/x",
  "..%c0%afx",
  "x".repeat(600),
  "a\u202eb",
  "COM1. ",
]

describe("every tool that takes a path", () => {
  test.each(NAUGHTY)("[G7] refuses %j with a sentence, and touches nothing", async (path) => {
    const bench = await ToolBench.holding({ "a/b.md": "one" })
    const calls: [string, JsonObject][] = [
      ["read", { path }],
      ["write", { path, content: "BAD" }],
      ["edit", { path, oldText: "one", newText: "BAD" }],
    ]
    for (const [tool, args] of calls) expect(said(await bench.call(tool, args))).toMatch(/^ERROR .{15}/)
    // For a folder, the root and a trailing slash are allowed.
    if (!["", ".", "a/"].includes(path)) {
      for (const [tool, args] of [
        ["ls", { path }],
        ["find", { path, pattern: "*" }],
        ["grep", { path, pattern: "one" }],
      ] as const) {
        expect(said(await bench.call(tool, args))).toMatch(/^ERROR .{15}/)
      }
    }
    expect(bench.index.list("").map((e) => e.path)).toEqual(["a/b.md"])
    expect(await bench.text("a/b.md")).toBe("one")
  })
})

describe("access", () => {
  const files = { "out/ok.txt": "fine needle", "private/key": "needle secret", "top.txt": "needle" }
  const open = (): Promise<ToolBench> => ToolBench.holding(files, { read: ["out/**"], write: ["out/**"] })

  test("[G7] an unreadable file does not exist for any tool", async () => {
    const bench = await open()
    expect(said(await bench.call("read", { path: "out/ok.txt" }))).toBe("fine needle")
    for (const path of ["private/key", "out/../private/key", "./out//..//top.txt"])
      expect(said(await bench.call("read", { path }))).toMatch(/^ERROR there is no file/)
    expect(said(await bench.call("grep", { pattern: "needle" }))).toBe("out/ok.txt:1: fine needle")
    expect(said(await bench.call("find", { pattern: "**" }))).toBe("out/ok.txt")
    expect(said(await bench.call("ls"))).toBe("out/")
    for (const [tool, args] of [
      ["ls", {}],
      ["find", { pattern: "*" }],
      ["grep", { pattern: "needle" }],
    ] as const) {
      expect(said(await bench.call(tool, { ...args, path: "private" }))).toMatch(/^ERROR there is no file or folder private/)
    }
    expect(said(await bench.call("read", { path: "out/key" }))).not.toContain("private")
  })

  test("[G7] an unwritable file is refused, whatever the spelling", async () => {
    const bench = await open()
    for (const path of ["secret.txt", "out/../secret.txt", "./out//..//secret.txt", "/secret.txt"]) {
      expect(said(await bench.call("write", { path, content: "BAD" }))).toMatch(
        /^ERROR this agent may not write secret\.txt; it may write: out\/\*\*/,
      )
    }
    expect(said(await bench.call("edit", { path: "top.txt", oldText: "needle", newText: "BAD" }))).toMatch(/^ERROR/)
    expect(said(await bench.call("write", { path: "./out//sub/../two.txt", content: "fine" }))).toBe("created out/two.txt (4 bytes)")
    expect(bench.index.list("").map((e) => e.path)).toEqual(["out/ok.txt", "out/two.txt", "private/key", "top.txt"])
  })
})

describe("read", () => {
  const lines = Array.from({ length: 10 }, (_, i) => `line ${i + 1}`).join("\n") + "\n"

  test("[T20] the whole file, byte for byte", async () => {
    const bench = await ToolBench.holding({ "a.md": lines, "bom.md": "\ufeffx", empty: "" })
    expect(said(await bench.call("read", { path: "a.md" }))).toBe(lines)
    expect(said(await bench.call("read", { path: "bom.md" }))).toBe("\ufeffx")
    expect(said(await bench.call("read", { path: "empty" }))).toBe("[empty is empty]")
  })

  test("[T20] some of its lines, and where to continue", async () => {
    const bench = await ToolBench.holding({ "a.md": lines })
    expect(said(await bench.call("read", { path: "a.md", offset: 3, limit: "2" }))).toBe(
      "line 3\nline 4\n[lines 3 to 4 of 10; go on with offset 5]",
    )
    expect(said(await bench.call("read", { path: "a.md", offset: 9 }))).toBe("line 9\nline 10")
    expect(said(await bench.call("read", { path: "a.md", offset: 11 }))).toBe("ERROR a.md has 10 lines: there is no line 11")
  })

  test("[T5] a long file keeps its head", async () => {
    const bench = await ToolBench.holding({ "a.md": `FIRST\n${"x\n".repeat(5_000)}LAST` })
    const outcome = await bench.call("read", { path: "a.md" })
    expect(said(outcome)).toMatch(/^FIRST\n[^]*x\n\[\d+ bytes hidden; the whole output: read_output \{"handle": "kept-1"\}\]$/)
    expect(outcome.truncated).toMatchObject({ kept: "head", totalLines: 5_002, outputLines: 2_000 })
  })

  test("[T20] binary data is named as such", async () => {
    const bench = await ToolBench.holding({ bin: Uint8Array.of(0xff, 0xfe, 1), nul: "a\0b" })
    expect(said(await bench.call("read", { path: "bin" }))).toMatch(/^ERROR bin is not text \(3 bytes/)
    expect(said(await bench.call("read", { path: "nul" }))).toMatch(/^ERROR nul is not text/)
    expect(said(await bench.call("edit", { path: "bin", oldText: "a", newText: "b" }))).toMatch(/not text/)
  })

  test("[T20] a wrong name is answered with the right one", async () => {
    const bench = await ToolBench.holding({ "docs/report.md": "x" })
    expect(said(await bench.call("read", { path: "docs/raport.md" }))).toBe(
      "ERROR there is no file docs/raport.md; did you mean docs/report.md?",
    )
    expect(said(await bench.call("read", { path: "report.md" }))).toMatch(/did you mean docs\/report.md/)
    expect(said(await bench.call("read", { path: "docs" }))).toMatch(/is a folder/)
    expect(said(await bench.call("read", { path: "zzzzzzzz" }))).toMatch(/use ls or find/)
  })
})

describe("write", () => {
  test("[T20] creates and replaces", async () => {
    const bench = new ToolBench()
    expect(said(await bench.call("write", { path: "n/ü.md", content: "ü" }))).toBe("created n/ü.md (2 bytes)")
    expect(said(await bench.call("write", { path: "n/ü.md", content: "" }))).toBe("replaced n/ü.md (0 bytes)")
    expect(await bench.text("n/ü.md")).toBe("")
    expect(said(await bench.call("write", { path: "n", content: "" }))).toMatch(/^ERROR n is a folder/)
  })
})

describe("edit", () => {
  const edit = async (file: string, args: JsonObject): Promise<[string, string | undefined]> => {
    const bench = await ToolBench.holding({ f: file })
    return [said(await bench.call("edit", { path: "f", ...args })), await bench.text("f")]
  }

  test("[T20] one place", async () => {
    expect(await edit("a\nb\nc\n", { oldText: "b\n", newText: "B\n" })).toEqual([
      "replaced 1 place in f (line 2; now 6 bytes)",
      "a\nB\nc\n",
    ])
    expect((await edit("a $& b", { oldText: "$&", newText: "$1$$" }))[1]).toBe("a $1$$ b")
    expect((await edit("a.b", { oldText: ".", newText: "" }))[1]).toBe("ab")
  })

  test("[T20] several matches are an error with their count, unless replaceAll is set", async () => {
    expect(await edit("x\ny\nx\n", { oldText: "x", newText: "z" })).toEqual([
      "ERROR oldText occurs 2 times in f (lines 1, 3): include more of the text around the occurrence you mean, or set replaceAll",
      "x\ny\nx\n",
    ])
    expect(await edit("x\ny\nx\n", { oldText: "x", newText: "z", replaceAll: true })).toEqual([
      "replaced 2 places in f (lines 1, 3; now 6 bytes)",
      "z\ny\nz\n",
    ])
  })

  test("[T20] missing text is reported with the nearest match", async () => {
    expect((await edit("a\n  b: 1\nc", { oldText: "b: 1\n c", newText: "" }))[0]).toMatch(
      /^ERROR oldText is not in f: its first line stands in line 2/,
    )
    expect((await edit("a", { oldText: "q", newText: "" }))[0]).toMatch(/read the file again/)
    expect((await edit("a", { oldText: "a", newText: "a" }))[0]).toMatch(/^ERROR .*nothing would change/)
  })

  test("[T20] the file's line endings are kept", async () => {
    expect((await edit("a\r\nb\r\nc", { oldText: "a\nb", newText: "x\ny" }))[1]).toBe("x\r\ny\r\nc")
  })
})

describe("grep", () => {
  const files = {
    "src/a.ts": "one\ntwo Three\nthree\nfour\n",
    "src/b.md": "three (3)\r\nend\r\n",
    bin: Uint8Array.of(0xff, 0x74, 0x68, 0x72, 0x65, 0x65),
  }
  const grep = async (args: JsonObject): Promise<string> => said(await (await ToolBench.holding(files)).call("grep", args))

  test("[T20] path, line and text", async () => {
    expect(await grep({ pattern: "t.*e$" })).toBe("src/a.ts:2: two Three\nsrc/a.ts:3: three")
    expect(await grep({ pattern: "three", ignoreCase: true, glob: "*.ts" })).toBe("src/a.ts:2: two Three\nsrc/a.ts:3: three")
    expect(await grep({ pattern: "e (3)", literal: true })).toBe("src/b.md:1: three (3)")
    expect(await grep({ pattern: "E (3)", literal: true, ignoreCase: true, path: "src/b.md" })).toBe("src/b.md:1: three (3)")
    expect(await grep({ pattern: "nope" })).toBe("no line matches nope in 3 files")
    expect(await grep({ pattern: "^$" })).toMatch(/^no line matches/)
  })

  test("[T20] context lines, each once, with a separator between groups", async () => {
    expect(await grep({ pattern: "two|three$", path: "src/a.ts", context: 1 })).toBe(
      "src/a.ts-1- one\nsrc/a.ts:2: two Three\nsrc/a.ts:3: three\nsrc/a.ts-4- four",
    )
    expect(await grep({ pattern: "one|four", path: "src/a.ts", context: 0, limit: 1 })).toBe(
      "src/a.ts:1: one\n[stopped at 1 matches; narrow the search or raise limit]",
    )
    const bench = await ToolBench.holding({ f: "x\n1\n2\n3\nx\n" })
    expect(said(await bench.call("grep", { pattern: "x", context: 1 }))).toBe("f:1: x\nf-2- 1\n--\nf-4- 3\nf:5: x")
  })

  test("[T20] a long line is clipped", async () => {
    const bench = await ToolBench.holding({ "min.js": `${"y".repeat(499)}😀${"x".repeat(100_000)}` })
    expect(said(await bench.call("grep", { pattern: "x" }))).toBe(`min.js:1: ${"y".repeat(499)}… [100002 more characters]`)
  })

  test("[T20] an unusable pattern says what to do; a pattern built to explode does not", async () => {
    expect(await grep({ pattern: "(?=a)" })).toMatch(/^ERROR pattern: look-ahead .* set literal/)
    expect(await grep({ pattern: "(" })).toMatch(/^ERROR pattern: /)
    const bench = await ToolBench.holding({ f: `${"a".repeat(200_000)}!` })
    const spent = cpuClock()
    expect(said(await bench.call("grep", { pattern: "^(a+)+$" }))).toMatch(/^no line/)
    expect(spent()).toBeLessThan(8_000)
  })
})

describe("find and ls", () => {
  const files = { "a.md": "1", "docs/b.md": "22", "docs/deep/c.md": "3", "docs/d.txt": "4" }
  const call = async (tool: string, args: JsonObject = {}): Promise<string> => said(await (await ToolBench.holding(files)).call(tool, args))

  test("[T20] find by name in every folder, or by path", async () => {
    expect(await call("find", { pattern: "*.md" })).toBe("a.md\ndocs/b.md\ndocs/deep/c.md")
    expect(await call("find", { pattern: "docs/*.{md,txt}" })).toBe("docs/b.md\ndocs/d.txt")
    expect(await call("find", { pattern: "deep/*", path: "docs/" })).toBe("docs/deep/c.md")
    expect(await call("find", { pattern: "*.md", limit: 1 })).toBe("a.md\n[and 2 more files; narrow the pattern or raise limit]")
    expect(await call("find", { pattern: "*.pdf" })).toBe("no file matches *.pdf")
  })

  test("[T20] ls shows one folder, folders with a slash", async () => {
    expect(await call("ls")).toBe("a.md\ndocs/")
    expect(await call("ls", { path: "docs" })).toBe("b.md\nd.txt\ndeep/")
    expect(await call("ls", { path: "docs", limit: 1 })).toBe("b.md\n[and 2 more entries; raise limit]")
    expect(await call("ls", { path: "a.md" })).toBe("a.md is a file of 1 bytes")
    expect(await call("ls", { path: "none" })).toMatch(/^ERROR there is no file or folder none/)
    expect(said(await new ToolBench().call("ls"))).toBe("[the workspace is empty]")
  })
})

describe("ask_user", () => {
  test("[Q1] takes only the seed's parameters", () => {
    const ok = (args: JsonObject): boolean => validateArgs(askUser.parameters, args).ok
    expect(ok({ question: "q", type: "select", options: ["a"], multiSelect: true, allowCustom: true, defaultValue: "x" })).toBe(true)
    expect(ok({ question: "q", type: "confirm" })).toBe(true)
    expect(ok({ question: "q", type: "choose" })).toBe(false)
    expect(ok({ question: "", type: "input" })).toBe(false)
    expect(ok({ question: "q" })).toBe(false)
  })
})

describe("skill_read", () => {
  const opened: string[] = []
  const skills: SkillLibrary = {
    names: () => ["docs"],
    files: (skill) => (skill === "docs" ? ["api.md", "deep/more.md", "gone.md"] : undefined),
    read: async (skill, file) => {
      opened.push(`${skill}/${file}`)
      return file === "gone.md" ? undefined : `# ${file}`
    },
  }
  const ask = async (skill: string, file: string): Promise<string> =>
    said(await new ToolBench({ skills }).call("skill_read", { skill, file }))

  test("[F61] raw text of listed files, and SKILL.md always", async () => {
    expect(await ask("docs", "api.md")).toBe("# api.md")
    expect(await ask("docs", "deep/more.md")).toBe("# deep/more.md")
    expect(await ask("docs", "./api.md")).toBe("# api.md")
    expect(await ask("docs", "SKILL.md")).toBe("# SKILL.md")
  })

  test("[F61] a problem is an error string, not a failed call", async () => {
    expect(await ask("nope", "api.md")).toBe('Error: there is no skill "nope" here. Known: docs')
    expect(await ask("docs", "secret.md")).toBe(
      'Error: "secret.md" is not a file of the skill "docs". Readable: SKILL.md, api.md, deep/more.md, gone.md',
    )
    expect(await ask("docs", "gone.md")).toBe('Error: "gone.md" is listed by the skill "docs" but is not there')
  })

  test.each([
    "../docs/api.md",
    "/api.md",
    "deep/../api.md",
    "%2e%2e/api.md",
    "api.md%00",
    "api.md\0.png",
    "API.md",
    "api.md/",
    "..\\api.md",
    "deep//more.md",
    "a",
  ])("[F61] %j opens nothing", async (file) => {
    opened.length = 0
    expect(await ask("docs", file)).toMatch(/^Error: /)
    expect(opened).toEqual([])
  })

  test.each(["../docs", "docs/", "__proto__", "constructor"])("[F61] the skill %j does not exist", async (skill) =>
    expect(await ask(skill, "SKILL.md")).toMatch(/^Error: there is no skill/),
  )
})

describe("subagent", () => {
  const finish = { status: "complete", summary: "did it", files: [], score: 5 }
  const ids = { runId: "run_1", sessionId: "s1" }
  const asked: unknown[] = []
  const answers: Record<string, SubagentResult> = {
    a: { kind: "ended", ...ids, finish, finalized: { status: "SUCCESS", result: "did it" } },
    bad: {
      kind: "ended",
      ...ids,
      finish: { status: "error", summary: "no luck", files: [], artifacts: "half" },
      finalized: { status: "ERROR", error: "no luck", result: "half" },
    },
    slow: { kind: "waiting", ...ids },
    none: { kind: "failed", message: "there is no agent none" },
    lost: { kind: "failed", ...ids, message: "the agent never finished" },
    shared: { kind: "session", sessionId: "s1", message: "the session is busy" },
  }
  const subagents: Subagents = {
    run: async ({ signal: _signal, ...request }) => {
      asked.push(request)
      return answers[request.agent] ?? { kind: "failed", message: "?" }
    },
  }
  const bench = new ToolBench({ subagents })

  test("[T2] B7 status and session precede the result; details carry the same as data", async () => {
    const outcome = await bench.call("subagent", { agent: "a", task: "go", inputs: { n: 5, t: "x" }, sessionId: "s1" })
    expect(asked.at(-1)).toEqual({ agent: "a", task: "go", inputs: { n: "5", t: "x" }, sessionId: "s1" })
    expect(said(outcome)).toBe('**Status:** SUCCESS\n**Session ID:** `s1`\n\n---\n\ndid it\n\n{\n  "score": 5\n}')
    expect(outcome.details).toEqual({ ...ids, finish, finalized: { status: "SUCCESS", result: "did it" } })
  })

  test("[T2] B7 an agent that ended in error is a normal result, with its partial output", async () => {
    const outcome = await bench.call("subagent", { agent: "bad", task: "go" })
    expect(said(outcome)).toBe("**Status:** ERROR\n**Session ID:** `s1`\n\n---\n\nno luck\n\nhalf")
    expect(outcome.isError).toBe(false)
  })

  test("[T1] a waiting child is not an error, a failed child is, and the error names the session to continue with", async () => {
    expect((await bench.call("subagent", { agent: "slow", task: "go" })).details).toEqual({ ...ids, waiting: true })
    expect(said(await bench.call("subagent", { agent: "none", task: "go" }))).toMatch(/there is no agent none$/)
    const lost = await bench.call("subagent", { agent: "lost", task: "go" })
    expect([lost.isError, lost.details]).toEqual([true, ids])
    expect(said(lost)).toMatch(/`s1`[^]*never finished/)
    expect(said(await new ToolBench().call("subagent", { agent: "a", task: "go" }))).toMatch(/^ERROR agents cannot be run from here/)
  })

  test("[J25] an unknown or busy session is an error that names it", async () => {
    const busy = await bench.call("subagent", { agent: "shared", task: "go", sessionId: "s1" })
    expect([busy.isError, said(busy), busy.details]).toEqual([true, "ERROR the session is busy", { sessionId: "s1" }])
  })
})

describe("the architect's tools", () => {
  const wrong = { code: "FV-ID-DUP", line: 3, severity: "error", message: "twice" } as const
  const author: Author = {
    agents: async () => [{ name: "w", description: "d", tools: ["read"], source_type: "local", architect: {} }],
    writeAgent: async (path) => ({ written: true, path, diagnostics: [], hash: "h", revision: 4 }),
    writeFlow: async (path) => ({ written: false, path, diagnostics: [wrong], error: "why" }),
  }
  const bench = new ToolBench({ author })

  test("[F54] answer in the seed's shape, as text and as details, and nothing more", async () => {
    const yes = await bench.call("agent_write", { path: "agents/w.md", content: "x" })
    expect(yes.details).toEqual({ written: true, path: "agents/w.md", diagnostics: [] })
    expect(JSON.parse(said(yes))).toEqual(yes.details)
    const no = await bench.call("flow_write", { path: "flows/f.yaml", content: "x" })
    expect(no.isError).toBe(false)
    expect(no.details).toEqual({ written: false, path: "flows/f.yaml", diagnostics: [wrong], error: "why" })
    const list = await bench.call("agent_catalog")
    expect(JSON.parse(said(list))).toEqual([{ name: "w", description: "d", tools: ["read"], source_type: "local", architect: {} }])
  })

  test.each(ARCHITECT_TOOLS)("[G8] %s without the power says so", async (name) => {
    const args = name === "agent_catalog" ? {} : { path: "x", content: "y" }
    expect(said(await new ToolBench().call(name, args))).toMatch(/^ERROR the catalog is not open here/)
  })
})

describe("read_output", () => {
  const whole = "zeile 0 ü\nzeile 1 ü\n😀".repeat(3)
  const outputs = { read: async (handle: string) => (handle === "h" ? new TextEncoder().encode(whole) : undefined) }
  const readOutput = async (args: JsonObject): Promise<string> =>
    said(await new ToolBench({ outputs }).call("read_output", { handle: "h", ...args }))

  test("[T5] bytes from the beginning or the middle, never half a character", async () => {
    expect(await readOutput({})).toBe(whole)
    expect(await readOutput({ offset: 0, limit: 9 })).toBe("zeile 0 \n[bytes 0 to 8 of 78; go on with offset 8]")
    expect(await readOutput({ offset: 9, limit: 3 })).toBe("\nz\n[bytes 10 to 12 of 78; go on with offset 12]")
  })

  test("[T5] reading on reaches the end with every byte once, however small the steps", async () => {
    for (const limit of [1, 2, 3, 5, 7]) {
      let all = ""
      for (let offset = 0; ;) {
        const outcome = await new ToolBench({ outputs }).call("read_output", { handle: "h", offset, limit })
        const { to } = outcome.details as { to: number }
        all += said(outcome).replace(/\n\[bytes [^\]]*\]$/, "")
        if (to >= 78) break
        expect(to).toBeGreaterThan(offset)
        offset = to
      }
      expect(all).toBe(whole)
    }
  })

  test("[T5] its own answer is never cut", async () => {
    const long = new TextEncoder().encode("\n".repeat(100_000))
    const outcome = await new ToolBench({ outputs: { read: async () => long } }).call("read_output", { handle: "h", limit: 48 * 1024 })
    expect(outcome.truncated).toBeUndefined()
    expect(said(outcome)).toMatch(/go on with offset 1900\]$/)
  })

  test("[T5] an unknown handle, or a position beyond the end, is an error", async () => {
    expect(said(await new ToolBench({ outputs }).call("read_output", { handle: "x" }))).toBe(
      'ERROR there is no kept output "x" in this run',
    )
    expect(await readOutput({ offset: 78 })).toMatch(/^ERROR the output has 78 bytes/)
    expect(said(await new ToolBench().call("read_output", { handle: "h" }))).toMatch(/^ERROR/)
  })
})

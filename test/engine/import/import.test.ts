import { readdirSync, readFileSync } from "node:fs"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { deflateRawSync, inflateRawSync } from "node:zlib"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { parseAgent } from "../../../src/core/language/parse-agent.ts"
import { adaptAgent, nameFrom } from "../../../src/engine/import/adapt-agent.ts"
import { namesOf } from "../../../src/engine/import/agent-fields.ts"
import type { FileReport } from "../../../src/engine/import/file-report.ts"
import { importFiles } from "../../../src/engine/import/import-files.ts"
import { readHead } from "../../../src/engine/import/loose-head.ts"
import { matchTool } from "../../../src/engine/import/foreign-tools.ts"
import { isLitter, sortFiles } from "../../../src/engine/import/sort-files.ts"
import { inflate, UnpackBudget } from "../../../src/engine/import/inflate.ts"
import { crc32, MOST_FILES, readZip } from "../../../src/engine/import/zip.ts"
import { amount } from "../../support/amount.ts"
import { cpuClock } from "../../support/cpu-clock.ts"
import { agent, flow, step, stocked, world } from "../../support/engine/memory-catalog.ts"
import { emptyBlocks, zip, type Member } from "../../support/engine/zip-archive.ts"

function settled<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}

const TOOLS = [
  "read",
  "write",
  "edit",
  "grep",
  "find",
  "ls",
  "ask_user",
  "skill_read",
  "subagent",
  "agent_catalog",
  "agent_write",
  "flow_write",
]
const root = fileURLToPath(new URL("../../fixtures/import", import.meta.url))
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

function fixtures(): { path: string; bytes: Uint8Array }[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort()
    .map((file) => ({ path: path.relative(root, file).split(path.sep).join("/"), bytes: new Uint8Array(readFileSync(file)) }))
}

async function imported(write: boolean) {
  const { catalog } = world()
  const report = await importFiles(fixtures(), TOOLS_OF_CATALOG, catalog, write)
  const of = (name: string): FileReport => {
    const found = report.data.find((row) => row.path === name)
    if (!found) throw new Error(`no report of ${name}`)
    return found
  }
  return { catalog, report, of }
}
// The memory catalog has only these; find, ls and edit do not exist there.
const TOOLS_OF_CATALOG = ["read", "write", "grep", "ask_user", "skill_read", "subagent", "agent_catalog", "agent_write", "flow_write"]

const adapt = (head: string, body = "Do it.") =>
  adaptAgent(`---\n${head}\n---\n\n${body}\n`, { stem: "file-name" }, { tools: new Set(TOOLS), skills: new Set(["style"]) })
const agentOf = (text: string, name = "x") => {
  const { agent, diagnostics } = parseAgent(text, { file: name, tools: new Set(TOOLS), skills: new Set(["style"]) })
  if (!agent) throw new Error(JSON.stringify(diagnostics))
  return agent
}

describe("import: a whole repository", () => {
  test("[F73] a dry run writes nothing and reports what would happen to every file", async () => {
    const { catalog, report } = await imported(false)
    expect(report.written).toBe(false)
    expect(report.data).toHaveLength(fixtures().length)
    expect(report.counts).toEqual({ imported: 5, changed: 16, refused: 5 })
    expect((await catalog.files()).data.filter((row) => row.tier === "local")).toEqual([])
  })

  test("[F73] written files passed the checks of a write and match the dry run", async () => {
    const look = await imported(false)
    const { catalog, report } = await imported(true)
    expect(report.data.map(({ path: at, status, target }) => ({ at, status, target }))).toEqual(
      look.report.data.map(({ path: at, status, target }) => ({ at, status, target })),
    )
    const stored = (await catalog.files()).data.filter((row) => row.tier === "local")
    const wanted = report.data.flatMap((row) => (row.status === "refused" ? [] : [row.target]))
    expect(new Set(stored.map((row) => row.path))).toEqual(new Set(wanted))
    expect(stored.flatMap((row) => row.diagnostics.filter((d) => d.severity === "error"))).toEqual([])
  })

  test("[F73] a file that needs no change keeps every byte", async () => {
    const { catalog, of } = await imported(true)
    expect(of(".claude/agents/marked.md")).toMatchObject({ status: "imported", target: "agents/marked.md", changes: [] })
    const kept = await catalog.read("agent", "marked")
    expect(kept?.content).toBe(readFileSync(path.join(root, ".claude/agents/marked.md"), "utf8"))
    expect(of("flows/glance.yaml")).toMatchObject({ kind: "flow", status: "imported", target: "flows/glance.yaml" })
  })

  test("[F50] tools, models and unknown keys of other programs are adapted", async () => {
    const { catalog, of } = await imported(true)
    expect(of(".claude/agents/code-reviewer.md").changes).toEqual([
      "its tools are now read, grep",
      "left out tools: Glob (there is no such tool here); Bash (there is no such tool here)",
      "model sonnet is now the role @coding",
      "left out fields that have no meaning here: color",
    ])
    expect((await catalog.read("agent", "code-reviewer"))?.content).toContain(
      'tools: read, grep\nmodel: "@coding"\n---\n\nYou look at a change',
    )
  })

  test("[F50] broken YAML, a missing fence, no frontmatter and CRLF are read and reported", async () => {
    const { of, catalog } = await imported(true)
    expect(of(".claude/agents/bug-hunter.md")).toMatchObject({ status: "changed", target: "agents/bug-hunter.md" })
    const hunter = await catalog.read("agent", "bug-hunter")
    expect(hunter?.content).toContain("Nobody touched the code, so: dependencies first.")
    expect(of(".claude/agents/dialogue.md").changes[0]).toContain("line by line")
    expect((await catalog.read("agent", "dialogue"))?.content).toContain('user: "Build me a shop"')
    expect(of(".claude/agents/unclosed.md").changes).toContain("closed the frontmatter")
    expect((await catalog.read("agent", "unclosed"))?.content).toContain("# How to work\n\nRead the file.")
    expect(of(".claude/agents/headless.md").changes.slice(0, 3)).toEqual([
      "wrote a frontmatter: the file had none",
      'named it "headless", after its file',
      "wrote a description from the file's text",
    ])
    expect(of(".claude/agents/windows-writer.md").changes).toEqual(["its tools are now read, write", "model haiku is now the role @fast"])
  })

  test("[F54a] a file with an unknown approval is refused, never imported without it", async () => {
    const { of } = await imported(false)
    expect(of(".claude/agents/approved.md")).toMatchObject({
      status: "refused",
      diagnostics: expect.arrayContaining([expect.objectContaining({ code: "AV-FIELD" })]),
    })
  })

  test("[F73] documents, images and a second file of the same name are refused with a reason", async () => {
    const { of } = await imported(false)
    const why = (name: string): string => of(name).diagnostics[0]?.message ?? ""
    expect(why(".claude/agents/README.md")).toContain("documentation")
    expect(of(".claude/commands/ship.md")).toMatchObject({ kind: "skill", status: "changed", target: "skills/ship/SKILL.md" })
    expect(why("categories/notes.md")).toContain("no frontmatter")
    expect(why("skills/invoice-reader/assets/logo.png")).toContain("not UTF-8 text")
    expect(why("categories/01-core/api-designer.md")).toContain("already made from categories/01-core/api-designer-copy.md")
  })

  test("[F60] a skill is imported with its scripts and references, under its own name", async () => {
    const { catalog, of } = await imported(true)
    expect(of("skills/invoice-reader/SKILL.md")).toMatchObject({ status: "imported", diagnostics: [] })
    expect((await catalog.read("skill", "invoice-reader/scripts/read.py"))?.content).toBe("import sys\n\nprint(sys.argv[1])\n")
    expect(of("skills/Release Notes/SKILL.md")).toMatchObject({ status: "changed", target: "skills/release-notes/SKILL.md" })
    expect((await catalog.read("skill", "release-notes/SKILL.md"))?.content).toContain("what is new, what broke")
    expect(of("skills/no-head/SKILL.md")).toMatchObject({ status: "changed", target: "skills/no-head/SKILL.md" })
    expect(of("skills/broken-skill/skill.md")).toMatchObject({ target: "skills/broken-skill/SKILL.md", status: "changed" })
    expect(of("skills/broken-skill/skill.md").diagnostics.map((d) => d.code)).toEqual(["SV-STANDARD"])
  })

  test("[F62] an agent keeps skills of the same import and loses missing ones", async () => {
    const { catalog, of } = await imported(true)
    expect(of(".claude/agents/planner.md").changes).toContain("left out skills that are not here: absent-skill")
    expect((await catalog.read("agent", "release-planner"))?.content).toContain("skills: release-notes\n")
  })

  test("[F73] a second import reports what it replaces", async () => {
    const { catalog } = await imported(true)
    const again = await importFiles(fixtures(), TOOLS_OF_CATALOG, catalog, false)
    expect(again.data.find((row) => row.path === ".claude/agents/marked.md")?.changes).toEqual(["replaces the stored agents/marked.md"])
  })
})

describe("import: in time", () => {
  const times = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i))
  const MANY = amount(500, 200)
  const stock = {
    agents: Object.fromEntries(times(amount(900, 360), (i) => [`a${i}.md`, agent(`a${i}`)])),
    flows: Object.fromEntries(times(MANY, (i) => [`f${i}.yaml`, flow(`f${i}`, step("s", "a1"))])),
  }
  const runs = (to: string): string => `  - { id: s, type: flow-ref, flow: ${to} }\n`
  const noise = "key: value\n"
  const IMPORTS: Readonly<Record<string, readonly { readonly path: string; readonly text: string }[]>> = {
    "flows that run stored flows": times(MANY, (i) => ({ path: `flows/g${i}.yaml`, text: flow(`g${i}`, runs(`f${i}`)) })),
    "agents and their flows": times(MANY, (i) =>
      i % 2 === 0
        ? { path: `agents/b${i}.md`, text: agent(`b${i}`) }
        : { path: `flows/g${i}.yaml`, text: flow(`g${i}`, step("s", `b${i - 1}`)) },
    ),
    "handlers of stored flows": times(MANY, (i) => ({ path: `code/f${i}/s.js`, text: "export default () => ({})" })),
    "heads of a megabyte": times(amount(10, 4), (i) => ({
      path: `agents/b${i}.md`,
      text: `---\nname: x\n${noise.repeat(90_000)}---\nbody`,
    })),
    "heads of a quarter": times(amount(40, 15), (i) => ({
      path: `skills/s${i}/SKILL.md`,
      text: `---\nname: s${i}\n${noise.repeat(22_000)}---\nbody`,
    })),
    "megabytes of YAML": times(amount(40, 15), (i) => ({
      path: `flows/b${i}.yaml`,
      text: flow(`b${i}`, times(5_000, (k) => step(`s${k}`, "x")).join("")),
    })),
  }

  test.for(Object.entries(IMPORTS))("[H3] %s", async ([, files]) => {
    const { catalog } = await stocked(stock)
    const spent = cpuClock()
    for (const write of [false, true]) {
      const report = await importFiles(
        files.map(({ path: at, text }) => ({ path: at, bytes: bytes(text) })),
        TOOLS_OF_CATALOG,
        catalog,
        write,
      )
      expect(report.data).toHaveLength(files.length)
    }
    expect(spent()).toBeLessThan(amount(16_000, 6_400))
  })

  test("[H3] other work goes on between the files of an import", async () => {
    const { catalog } = await stocked(stock)
    let turns = 0
    const clock = setInterval(() => turns++, 1)
    const files = times(MANY, (i) => ({ path: `flows/g${i}.yaml`, bytes: bytes(flow(`g${i}`, runs(`f${i}`)).padEnd(2_000, "# ")) }))
    await importFiles(files, TOOLS_OF_CATALOG, catalog, true)
    clearInterval(clock)
    expect(turns).toBeGreaterThan(5)
  })

  test("[F73] flows of one import may run each other; what leads to a refused one is refused, however long the way", async () => {
    const { catalog } = world()
    const chain = (n: number, end: string) =>
      times(n, (i) => ({
        path: `flows/g${i}.yaml`,
        bytes: bytes(flow(`g${i}`, i % 4 === 3 && i + 1 < n ? step("s", "flow-decision") : i + 1 < n ? runs(`g${i + 1}`) : end)),
      }))
    const good = await importFiles(chain(40, step("s", "flow-decision")), TOOLS_OF_CATALOG, catalog, true)
    expect(good.counts).toEqual({ imported: 40, changed: 0, refused: 0 })
    const broken = times(6, (i) => ({
      path: `flows/h${i}.yaml`,
      bytes: bytes(flow(`h${i}`, i < 5 ? runs(`h${i + 1}`) : step("s", "nobody"))),
    }))
    for (const write of [false, true]) {
      const bad = await importFiles(broken, TOOLS_OF_CATALOG, catalog, write)
      expect(bad.counts).toEqual({ imported: 0, changed: 0, refused: 6 })
      expect(bad.data.every((row) => row.diagnostics.some((d) => d.severity === "error"))).toBe(true)
    }
    expect((await catalog.files("flow")).data.flatMap((row) => row.diagnostics.filter((d) => d.severity === "error"))).toEqual([])
  })

  test("[F72] an import is one revision", async () => {
    const { catalog, report } = await imported(true)
    expect((await catalog.files()).revision).toBe(1)
    expect(report.counts.imported).toBeGreaterThan(1)
  })
})

describe("import: one agent", () => {
  test("[F53] a missing tool list means all tools in other programs, and is written that way", () => {
    const { text, changes } = adapt("name: x\ndescription: d")
    expect(agentOf(text).tools).toEqual({ kind: "inherit", denied: [] })
    expect(changes[0]).toContain("denied_tools: []")
  })

  test.for([
    ["a denied tool stays denied", "disallowedTools: Write, Edit", { kind: "inherit", denied: ["write", "edit"] }],
    ["a denied tool is removed from a list", "tools: Read, Write\ndisallowedTools: [Write]", { kind: "list", names: ["read"] }],
    ["a partial denial denies the whole tool", "disallowedTools: Write(src/**)", { kind: "inherit", denied: ["write"] }],
    ["a partial grant is not a grant", "tools: Read, Edit(src/**)", { kind: "list", names: ["read"] }],
    ["ask does not mean allow", "permission: { edit: ask, write: deny, read: allow }", { kind: "inherit", denied: ["edit", "write"] }],
    ["closed except for some", 'permission: { "*": deny, read: allow }', { kind: "list", names: ["read"] }],
    ["switches", "tools: { write: false, read: true }", { kind: "inherit", denied: ["write"] }],
    ["switches closed except for some", 'tools: { "*": false, read: true }', { kind: "list", names: ["read"] }],
    ["plan mode only reads", "permissionMode: plan", { kind: "inherit", denied: ["write", "edit"] }],
    ["denied tools may be added later", "disallowedTools: Bash, Task, mcp__x__y", { kind: "inherit", denied: ["bash", "mcp__x__y"] }],
    ["all", 'tools: "*"', { kind: "inherit", denied: [] }],
    ["none", "tools: []", { kind: "list", names: [] }],
    ["ours stay ours", "tools: [read, ls]", { kind: "list", names: ["read", "ls"] }],
    ["our own denials stay unchanged", "denied_tools: [write]", { kind: "inherit", denied: ["write"] }],
  ] as const)("[F53] powers are never widened: %s", ([, head, wish]) => {
    expect(agentOf(adapt(`name: x\ndescription: d\n${head}`).text).tools).toEqual(wish)
  })

  test.for([
    ["inherit", undefined],
    ["opus", "@planning"],
    ["sonnet[1m]", "@coding"],
    ["Claude Sonnet 4", undefined],
    ["openai/gpt-5", "openai/gpt-5"],
    ["gpt-5:high", "gpt-5"],
    ["[claude-a, claude-b]", "claude-a"],
  ])("[F52] model %s", ([said, model]) => {
    expect(agentOf(adapt(`name: x\ndescription: d\nmodel: ${said ?? ""}`).text).model).toBe(model)
  })

  test("[F50] turns, temperature and effort get our names", () => {
    const agent = agentOf(adapt("name: x\ndescription: d\nmaxTurns: 7\ntemperature: 9\neffort: high").text)
    expect(agent).toMatchObject({ max_turns: 7, thinking: "high" })
    expect(agent.temperature).toBeUndefined()
  })

  test("[F53] the role that writes the catalog is not imported", () => {
    const { text, changes } = adapt("name: x\ndescription: d\ntools: read\nrole: architect")
    expect(agentOf(text).role).toBeUndefined()
    expect(changes.join()).toContain("role: architect")
  })

  test("[F50] invalid names become valid", () => {
    expect(["Code Reviewer", "  Ünïcode Näme ", "a.b/c", "constructor", "日本語", "ok_name"].map(nameFrom)).toEqual([
      "code-reviewer",
      "unicode-name",
      "a-b-c",
      "",
      "",
      "ok_name",
    ])
    expect(adapt('name: "日本語"\ndescription: d').name).toBe("file-name")
  })

  test("[F53] tool names of other programs are mapped", () => {
    const known = new Set(TOOLS)
    const name = (foreign: string): string => {
      const match = matchTool(foreign, known)
      return match.kind === "ours" ? match.names.join() : match.kind
    }
    expect(
      ["Read", "read_file", "MultiEdit", "Glob", "LS", "search_file_content", "str_replace", "AskUserQuestion", "Grep(*)"].map(name),
    ).toEqual(["read", "read", "edit", "find", "ls", "grep", "edit", "ask_user", "grep"])
    expect(["Bash", "WebFetch", "Task", "TodoWrite", "mcp__x__y", "constructor", "subagent", ""].map(name)).toEqual(Array(8).fill("none"))
    expect(matchTool("Bash", new Set(["bash"]))).toEqual({ kind: "ours", names: ["bash"] })
  })

  test("[F1] hostile frontmatter is read in time or refused, and never throws", () => {
    for (const head of [
      "a: &a [*a, *a]",
      "__proto__: 1",
      "name: x\n".repeat(20_000),
      "[".repeat(10_000),
      "description: " + "x: ".repeat(50_000),
      "\0\u0001",
      "- ".repeat(5_000),
      ": ".repeat(20_000),
    ])
      expect(adapt(head).name).not.toBe("")
  })

  test("[F1] reading a file takes time linear in its length", () => {
    const many = (text: string): string => text.repeat(200_000 / text.length)
    const spent = cpuClock()
    for (const file of [
      many("<!---->"),
      many("<!--"),
      many("\n"),
      `<!-- ${many("-")}`,
      `---\nmodel: "${many("[")}x"\n---\n`,
      `---\nmodel: "${many("[")}]x"\n---\n`,
      `---\ntools: "${many("a,")}x"\n---\n`,
      `---\ntools: "${many("a(,")}x"\n---\n`,
      `---\ntools: x${many("'")}x\n---\n`,
      `---\ndisallowedTools: ${Array.from({ length: 30_000 }, (_, i) => `a${i}`).join(",")}\n---\n`,
    ])
      expect(adaptAgent(file, { stem: "file-name" }, { tools: new Set(TOOLS), skills: new Set() }).name).not.toBe("")
    expect(spent()).toBeLessThan(20_000)
  })

  test("[F1] only white space and complete comments may precede the frontmatter", () => {
    const head = "---\nname: x\ndescription: d\n---\nBody."
    for (const lead of ["\n\n", "<!-- a -->\n", " <!-- a --> <!-- b\n--> \n", "<!---->"])
      expect(readHead(`${lead}${head}`)).toMatchObject({
        present: true,
        body: "Body.",
        repairs: [expect.stringContaining("removed the text")],
      })
    for (const lead of ["text\n", "<!-- a", "<!-- a --> text\n"]) expect(readHead(`${lead}${head}`).present).toBe(false)
  })

  test("[F50] commas inside parentheses belong to the tool", () => {
    expect(namesOf(" Read, Bash(git add, git commit) ,'Edit',[\"Write\"]\nGrep")).toEqual([
      "Read",
      "Bash(git add, git commit)",
      "Edit",
      "Write",
      "Grep",
    ])
  })
})

describe("import: the archive", () => {
  test("[F73] compressed and stored files are read back unchanged; folders are not files", async () => {
    const members = [
      { name: "a/", body: bytes("") },
      { name: "a/ä.md", body: bytes("# ä") },
      { name: "b.md", body: bytes("b".repeat(5_000)), stored: true },
    ]
    const files = await readZip(zip(members))
    expect(files).toEqual({ ok: true, value: members.slice(1).map(({ name, body }) => ({ path: name, bytes: body })) })
  })

  test("[G7] a path that leads out, an absolute path and a link are refused", async () => {
    const files = await readZip(
      zip([
        { name: "../evil.md", body: bytes("x") },
        { name: "/etc/evil.md", body: bytes("x") },
        { name: "a\\..\\..\\evil.md", body: bytes("x") },
        { name: "agents/link.md", body: bytes("/etc/passwd"), mode: 0o120777 },
        { name: "a/%2e%2e/evil.md", body: bytes("x") },
      ]),
    )
    const sorted = sortFiles(files.ok ? files.value : [])
    expect(sorted.map((file) => (file.kind === "other" ? file.why : file.kind))).toEqual([
      expect.stringContaining("leads out"),
      expect.stringContaining("absolute"),
      expect.stringContaining("leads out"),
      expect.stringContaining("symbolic link"),
      expect.stringContaining("percent escape"),
    ])
  })

  test("[F1] a zip bomb is stopped at 10 MiB, whatever sizes it states", async () => {
    const bomb = zip([{ name: "a.md", body: new Uint8Array(24 * 1_048_576) }])
    expect(bomb.byteLength).toBeLessThan(100_000)
    expect(await readZip(bomb)).toEqual({ ok: false, error: "the archive unpacks to more than 10 MiB" })
    const many = zip(Array.from({ length: 12 }, (_, i) => ({ name: `${i}.md`, body: new Uint8Array(1_048_576) })))
    expect(await readZip(many)).toMatchObject({ ok: false })
  })

  test("[F1] more than 5,000 files are not read", async () => {
    const members = Array.from({ length: MOST_FILES + 1 }, (_, i) => ({ name: `${i}.md`, body: bytes("x") }))
    expect(await readZip(zip(members))).toEqual({ ok: false, error: "the archive has 5,001 files, and at most 5,000 are read at once" })
    expect((await readZip(zip(members.slice(1)))).ok).toBe(true)
  })

  test("[F1] damaged, encrypted and unsupported members are reported and do not affect others", async () => {
    const files = await readZip(
      zip([
        { name: "crc.md", body: bytes("x"), crc: 1 },
        { name: "locked.md", body: bytes("x"), flags: 1 },
        { name: "good.md", body: bytes("good") },
      ]),
    )
    expect(files).toMatchObject({
      ok: true,
      value: [{ fault: "is damaged" }, { fault: "is encrypted" }, { path: "good.md", bytes: bytes("good") }],
    })
  })

  test("[F1] a file that is not an archive, or a truncated archive, gives a message", async () => {
    const whole = zip([
      { name: "a.md", body: bytes("a") },
      { name: "b.md", body: bytes("b") },
    ])
    for (let cut = 0; cut < whole.byteLength; cut++) expect(await readZip(whole.subarray(0, cut))).toMatchObject({ ok: false })
    for (let i = 0; i < whole.byteLength; i++) {
      const flipped = whole.slice()
      flipped[i] = (flipped[i] ?? 0) ^ 0xff
      expect(await readZip(flipped)).toHaveProperty("ok")
    }
  })

  test("[F1] the bytes of damaged entries count", async () => {
    const body = new Uint8Array(4 * 1_048_576)
    const packed = deflateRawSync(body)
    const many = (member: Partial<Member>) =>
      zip(Array.from({ length: 100 }, (_, i) => ({ name: `${i}.md`, body, packed, crc: 1, ...member })))
    // Blocks that write nothing, each with its own codes.
    const empty = emptyBlocks(60_000)
    expect(inflateRawSync(empty).byteLength).toBe(0)
    const wrong = many({})
    const cutOff = many({ packed: packed.subarray(0, -2) })
    const idle = zip([{ name: "a.md", body: bytes(""), packed: empty }])
    const spent = cpuClock()
    for (const archive of [wrong, cutOff, idle])
      expect(await readZip(archive)).toEqual({ ok: false, error: "the archive unpacks to more than 10 MiB" })
    expect(spent()).toBeLessThan(8_000)
  })

  test("[F1] entries that share bytes are refused with their archive", async () => {
    const body = new Uint8Array(1_048_576)
    for (const crc of [crc32(body), 1]) {
      const whole = zip([
        { name: "a.md", body, crc },
        ...Array.from({ length: 499 }, (_, i) => ({ name: `${i}.md`, body, crc, same: true })),
      ])
      expect(await readZip(whole)).toMatchObject({ ok: false, error: expect.stringContaining("share the same bytes") })
    }
    // The second entry's header stands inside the first entry's stored bytes.
    const inner = zip([{ name: "in.md", body: bytes("x".repeat(50)), stored: true }])
    const outer = zip([
      { name: "out.md", body: inner, stored: true },
      { name: "in.md", body: bytes("x".repeat(50)), stored: true, at: 36 },
    ])
    expect(await readZip(outer)).toEqual({
      ok: false,
      error: 'in the archive "out.md" and "in.md" share the same bytes, which no packing program does: pack it again',
    })
  })

  test("[F73] what deflate packs, at every level, is unpacked to the same bytes; a changed bit never throws", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 3_000 }),
        fc.nat(40),
        fc.integer({ min: 0, max: 9 }),
        fc.nat(),
        (noise, times, level, flip) => {
          const body = Buffer.concat([...Array.from({ length: times }, () => noise), Buffer.from(noise).reverse()])
          const packed = new Uint8Array(deflateRawSync(body, { level, strategy: flip % 5 }))
          expect(Buffer.from(inflate(packed, new UnpackBudget(1_000_000)) ?? []).equals(body)).toBe(true)
          packed[flip % packed.length] = (packed[flip % packed.length] ?? 0) ^ (1 << (flip % 8))
          const budget = new UnpackBudget(1_000_000)
          const mine = inflate(packed, budget)
          const theirs = settled(() => inflateRawSync(packed, { maxOutputLength: 1_000_000 }))
          if (theirs !== undefined && mine !== undefined) expect(Buffer.from(mine).equals(theirs)).toBe(true)
          if (mine !== undefined) expect(theirs).toBeDefined()
          expect(budget.bytes).toBeGreaterThan(-70_000)
        },
      ),
      { numRuns: 300 },
    )
  })

  test("[F73] leftover files are not reported", () => {
    expect(["__MACOSX/._a.md", "x/.DS_Store", ".git/config", "a/node_modules/b/README.md", "agents/a.md"].map(isLitter)).toEqual([
      true,
      true,
      true,
      true,
      false,
    ])
  })
})

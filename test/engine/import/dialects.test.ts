// What people bring from other programs: their folders, their words for tools, their commands and their templates.

import { describe, expect, test } from "vitest"
import { parseAgent } from "../../../src/core/language/parse-agent.ts"
import { adaptAgent } from "../../../src/engine/import/adapt-agent.ts"
import type { FileReport, ImportReport } from "../../../src/engine/import/file-report.ts"
import { importFiles } from "../../../src/engine/import/import-files.ts"
import { modernized } from "../../../src/engine/import/old-templates.ts"
import { flow, step, world } from "../../support/engine/memory-catalog.ts"

const TOOLS = "read write edit grep find ls glob ask_user bash web.fetch web.search skill_read mcp:github:create_issue".split(" ")
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const head = (name: string, more = "", body = "You do it."): string =>
  `---\nname: ${name}\ndescription: does ${name}\n${more}---\n\n${body}\n`

/** The memory catalog has only some of the tools, so agents name those. */
async function brought(files: Readonly<Record<string, string>>, prefix?: string) {
  const { catalog } = world()
  const sent = Object.entries(files).map(([path, text]) => ({ path, bytes: bytes(text) }))
  const report: ImportReport = await importFiles(sent, ["read", "write", "grep"], catalog, true, prefix)
  const of = (path: string): FileReport => {
    const row = report.data.find((one) => one.path === path)
    if (!row) throw new Error(`no report of ${path}`)
    return row
  }
  return { catalog, report, of }
}

function toolsOf(list: string, dialect: "copilot" | "other" = "other"): readonly string[] {
  const { text } = adaptAgent(
    `---\nname: x\ndescription: d\ntools: ${list}\n---\nDo it.`,
    { stem: "x", dialect },
    { tools: new Set(TOOLS), skills: new Set() },
  )
  const { agent, diagnostics } = parseAgent(text, { file: "x", tools: new Set(TOOLS), skills: new Set() })
  if (agent?.tools.kind !== "list") throw new Error(JSON.stringify(diagnostics))
  return agent.tools.names
}

describe("import: layouts of other programs", () => {
  test.for([
    [".claude/agents/a.md", head("a"), "agents/a.md"],
    ["repo-main/.claude/agents/deep/er/a.md", head("a"), "agents/a.md"],
    ["plugins/seo/agents/a.md", head("a"), "agents/a.md"],
    [".github/agents/a.agent.md", "---\ndescription: d\n---\nDo.", "agents/a.md"],
    [".github/chatmodes/a.chatmode.md", "---\ndescription: d\n---\nDo.", "agents/a.md"],
    ["anywhere/a.agent.md", "Do it.", "agents/a.md"],
    [".opencode/agent/a.md", "---\ndescription: d\nmode: subagent\n---\nDo.", "agents/a.md"],
    [".cursor/agents/a.md", head("a"), "agents/a.md"],
    [".pi/flows/agents/a.md", head("a"), "agents/a.md"],
    ["categories/01-core/a.md", head("a"), "agents/a.md"],
    [".claude/commands/ship.md", "Ship $ARGUMENTS now.", "skills/ship/SKILL.md"],
    ["plugins/seo/commands/ship.md", "---\ndescription: d\nallowed-tools: Bash(git:*)\n---\nShip it.", "skills/ship/SKILL.md"],
    [".opencode/command/ship.md", "---\ndescription: d\n---\nShip it.", "skills/ship/SKILL.md"],
    [".cursor/commands/ship.md", "# Ship\nShip it.", "skills/ship/SKILL.md"],
    [".github/prompts/ship.prompt.md", "---\nmode: agent\n---\nShip it.", "skills/ship/SKILL.md"],
    [".github/instructions/ts.instructions.md", "---\napplyTo: '**/*.ts'\n---\nNo any.", "skills/ts/SKILL.md"],
    [".cursor/rules/ts.mdc", "---\ndescription: Rules\nglobs: '*.ts'\nalwaysApply: false\n---\nNo any.", "skills/ts/SKILL.md"],
    [".windsurf/workflows/ship.md", "Ship it.", "skills/ship/SKILL.md"],
    [".claude/skills/pdf/SKILL.md", head("pdf"), "skills/pdf/SKILL.md"],
    ["security-auditor.md", head("security-auditor"), "agents/security-auditor.md"],
    ["agents/licensing-expert.md", head("licensing-expert"), "agents/licensing-expert.md"],
    ["agents/readme-writer.md", head("readme-writer"), "agents/readme-writer.md"],
    ["agents/changelog-keeper.md", "You are the keeper.", "agents/changelog-keeper.md"],
    ["agents/index-advisor.md", "# Advisor\nYou are.", "agents/index-advisor.md"],
  ] as const)("[F73] %s comes in", async ([path, text, target]) => {
    const { of, catalog } = await brought({ [path]: text })
    expect(of(path)).toMatchObject({ target, status: expect.stringMatching(/imported|changed/) })
    expect((await catalog.files()).data.filter((row) => row.tier === "local").map((row) => row.path)).toEqual([target])
  })

  test("[F73] real documents are left out, wherever they stand", async () => {
    const names = [
      "README.md",
      "README.zh-CN.md",
      "LICENSE.md",
      "CHANGELOG.md",
      "CONTRIBUTING.md",
      "CODE_OF_CONDUCT.md",
      "AGENTS.md",
      "CLAUDE.md",
    ]
    const files = Object.fromEntries(
      ["", "agents/", ".claude/commands/", "docs/"].flatMap((at) => names.map((name) => [at + name, "# About\n\nYou are here."])),
    )
    const { report } = await brought(files)
    expect(report.counts).toEqual({ imported: 0, changed: 0, refused: Object.keys(files).length })
  })

  test("[F73] a flow with its code, agents and skills comes from .pi, below any folder", async () => {
    const files = {
      "x/.pi/flows/flows/legal/nda/flow.yaml": flow("nda", `${step("look", "scout")}  - { id: sum, type: code }\n`),
      "x/.pi/flows/flows/legal/nda/sum.ts": "export default () => ({})",
      "x/.pi/flows/agents/scout.md": head("scout", "tools: read\n", "Do {task} with {{topic}} after <look.summary>."),
      "x/.pi/skills/style/SKILL.md": head("style"),
      "src/flows/readme.yaml": "title: not a flow",
    }
    const { report, catalog } = await brought(files)
    expect(report.data.map(({ kind, status }) => `${kind} ${status}`).sort()).toEqual([
      "agent changed",
      "code changed",
      "flow changed",
      "other refused",
      "skill imported",
    ])
    expect((await catalog.read("agent", "scout"))?.content).toContain("Do ${{task}} with ${{input.topic}} after ${{result.look.summary}}.")
    expect(await catalog.read("flow", "legal:nda")).toBeDefined()
    expect(await catalog.read("code", "legal:nda/sum")).toBeDefined()
  })

  test("[F73] two agents of one name get the names of their plugins; one text is stored once", async () => {
    const { of } = await brought({
      "plugins/a/agents/x.md": head("x"),
      "plugins/b/agents/x.md": head("x", "", "You differ."),
      "plugins/c/agents/x.md": head("x"),
      "plugins/a/commands/run.md": "Run.",
      "plugins/b/commands/run.md": "Run far.",
    })
    expect(of("plugins/b/agents/x.md").target).toBe("agents/b-x.md")
    expect(of("plugins/c/agents/x.md")).toMatchObject({ status: "changed", target: "agents/x.md" })
    const { of: also } = await brought({ "instructions/x.instructions.md": "No any.", "skills/x/SKILL.md": head("x") })
    expect([also("instructions/x.instructions.md").target, also("skills/x/SKILL.md").target]).toEqual([
      "skills/x-command/SKILL.md",
      "skills/x/SKILL.md",
    ])
    expect(of("plugins/b/commands/run.md").target).toBe("skills/b-run/SKILL.md")
  })

  test("[F73] a prefix names agents, skills and flows, and what refers to them", async () => {
    const { catalog, report } = await brought(
      {
        "agents/scout.md": head("scout", "tools: read\nskills: style\n"),
        "skills/style/SKILL.md": head("style"),
        "skills/style/more.md": "More.",
        "flows/look.yaml": `# note\n${flow("look", step("s", "scout"))}`,
        "flows/outer.yaml": flow("outer", "  - { id: s, type: flow-ref, flow: look }\n"),
      },
      "acme-",
    )
    expect(report.counts.refused).toBe(0)
    expect((await catalog.read("agent", "acme-scout"))?.content).toMatch(/name: acme-scout[^]*skills: acme-style/)
    expect((await catalog.read("flow", "acme-look"))?.content).toMatch(/^# note[^]*agent: acme-scout/)
    expect((await catalog.read("flow", "acme-outer"))?.content).toContain("flow: acme-look")
    expect((await catalog.read("skill", "acme-style/more.md"))?.content).toBe("More.")
  })

  test("[F60] a skill keeps a file of two megabytes", async () => {
    const { of } = await brought({
      "skills/s/SKILL.md": head("s"),
      "skills/s/words.json": `"${"x".repeat(2_000_000)}"`,
      "skills/s/over.md": "x".repeat(2_097_153),
    })
    expect(of("skills/s/words.json").status).toBe("imported")
    expect(of("skills/s/over.md").diagnostics[0]?.message).toContain("2 MiB")
  })
})

test("[F60] SV-RUNTIME says what a skill's scripts and commands need that the Worker's shell does not have", async () => {
  const skill = `${head("s")}\n\`\`\`bash\npython scripts/a.py\ncat x\n\`\`\`\n\n\`\`\`python\nnode = 1\n\`\`\`\nnode is prose.\n`
  const { of } = await brought({
    "skills/s/SKILL.md": skill,
    "skills/s/scripts/a.py": "print(1)",
    "skills/s/scripts/b.sh": "#!/bin/bash\nset -e\nffmpeg -i x",
    "skills/s/scripts/c.sh": "grep x y | sort",
    "skills/s/scripts/run": "#!/usr/bin/env node\n1",
    "skills/s/words.md": "python",
  })
  const needs = (path: string): readonly string[] =>
    of(path).diagnostics.map(({ code, message }) => `${code} ${/needs (\S+),/.exec(message)?.[1]}`)
  expect(
    ["SKILL.md", "scripts/a.py", "scripts/b.sh", "scripts/c.sh", "scripts/run", "words.md"].map((file) => needs(`skills/s/${file}`)),
  ).toEqual([["SV-RUNTIME python"], ["SV-RUNTIME python3"], ["SV-RUNTIME ffmpeg"], [], ["SV-RUNTIME node"], []])
  expect(of("skills/s/SKILL.md").diagnostics[0]?.line).toBe(9)
})

describe("import: words for tools", () => {
  test.for([
    ["WebFetch, WebSearch, Bash, Glob", "other", ["web.fetch", "web.search", "bash", "find"]],
    ["edit/editFiles, search/codebase, runCommands", "copilot", ["edit", "grep", "find", "bash"]],
    ["['edit', 'search', 'web', 'read']", "copilot", ["edit", "write", "grep", "find", "ls", "web.fetch", "web.search", "read"]],
    ["read/readFile, execute/runInTerminal, web/fetch, vscode/askQuestions", "copilot", ["read", "bash", "web.fetch", "ask_user"]],
    ["[read_file, run_terminal_cmd, codebase_search]", "other", ["read", "bash", "grep", "find"]],
    ["mcp__github__create_issue, mcp__github__drop", "other", ["mcp:github:create_issue"]],
    ["github/*, other/*", "copilot", ["mcp:github:*"]],
    ["edit", "other", ["edit"]],
    ["Task, TodoWrite, problems", "other", []],
  ] as const)("[F53] %s", ([list, dialect, names]) => {
    expect(toolsOf(list, dialect)).toEqual(names)
  })
})

describe("import: older templates", () => {
  test.for([
    ["{task} and ${task}", "${{task}} and ${{task}}"],
    ["${{task}} stays", "${{task}} stays"],
    ["{{task}}, {{ topic }}", "${{task}}, ${{input.topic}}"],
    ["{input.x} {result.a.summary}", "${{input.x}} ${{result.a.summary}}"],
    ["<scout.summary> <b>", "${{result.scout.summary}} <b>"],
    ["<div.class> <this.status> {other}", "<div.class> <this.status> {other}"],
    ["`{{ name }}` and {{ a.b }}", "`{{ name }}` and {{ a.b }}"],
    ["```vue\n{{ name }} {task}\n```\n{task}", "```vue\n{{ name }} {task}\n```\n${{task}}"],
    ["${{ secrets.X }} {{{x}}}", "${{ secrets.X }} {{{x}}}"],
  ])("[F43] %s", ([old, now]) => {
    expect(modernized(old ?? "").text).toBe(now)
  })
})

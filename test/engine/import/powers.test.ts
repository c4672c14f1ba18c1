// [F53] What a file of another program says about its tools, in heads that are broken: an agent never gets more than its line says.

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { matchesTool } from "../../../src/core/tool/policy/tool-names.ts"
import { parseAgent } from "../../../src/core/language/parse-agent.ts"
import { adaptAgent } from "../../../src/engine/import/adapt-agent.ts"
import { importFiles } from "../../../src/engine/import/import-files.ts"
import { amount } from "../../support/amount.ts"
import { world } from "../../support/engine/memory-catalog.ts"

const TOOLS = "read write edit grep find ls ask_user bash web.fetch web.search skill_read mcp:github:create_issue mcp:github:read_issue"
const KNOWN = new Set(TOOLS.split(" "))

function adapted(file: string) {
  const { name: called, text, changes } = adaptAgent(file, { stem: "x" }, { tools: KNOWN, skills: new Set() })
  const { agent, diagnostics } = parseAgent(text, { file: called, tools: KNOWN, skills: new Set() })
  if (!agent) throw new Error(JSON.stringify(diagnostics))
  const { tools } = agent
  const has = [...KNOWN].filter((name) =>
    tools.kind === "list" ? tools.names.some((one) => matchesTool(one, { name })) : !tools.denied.some((one) => matchesTool(one, { name })),
  )
  return { has, changes, text }
}

const headed = (head: string, body = "Look at it."): string => `---\nname: x\ndescription: d\n${head}\n---\n\n${body}\n`

describe("import: lines of tools in broken heads", () => {
  test.for([
    ["no space after the colon", headed("tools:Read")],
    ["and a further field", headed("tools:Read\nmodel: sonnet")],
    ["a no-break space", headed("tools:\u00a0Read")],
    ["a no-break space before the colon", headed("tools\u00a0: Read")],
    ["a wide colon", headed("tools：Read")],
    ["an ideographic space", headed("tools:\u3000Read")],
    ["a zero-width space in its name", headed("to\u200bols: Read")],
    ["indented", headed("  tools: Read")],
    ["indented below another field", headed("model: sonnet\n  tools: Read\nbackground: true")],
    ["a map in braces", "---\n{ name: x, description: d, tools: [Read] }\n---\n\nBody\n"],
    ["a map in braces over lines", "---\n{\n  name: x,\n  description: d,\n  tools: [Read],\n}\n---\n\nBody\n"],
    [
      "an example before the line",
      '---\nname: x\ndescription: Use it: "so\n<example>\ntools: Read, Bash\n</example>\ntools: Read\n---\nBody',
    ],
    ["an example in a valid text", headed("prompt: |\n  tools: Bash, Write\ntools: Read")],
    ["a list in brackets over lines", headed("note: a: b: [c\ntools: [\n  Read,\n]")],
    ["a list with dashes", headed("note: 'a\ntools:\n- Read\nskillz:\n- Bash")],
    ["quotes around its name", headed('note: \'a\n"tools": Read')],
    ["a capital letter", headed("Tools: Read")],
    ["a slip of the pen", headed("tolls: Read")],
    ["an equals sign", headed("tools = Read")],
    ["a comment", headed("note: 'a\ntools: Read # and, Bash, too")],
    ["twice", headed("tools: Read, Bash\ntools: Read, Write")],
    ["after a comment in a head that is not closed", "---\nname: x\ndescription: d\n# what it may\ntools: Read\n\nBody\n"],
    ["after an empty line in a head that is not closed", "---\nname: x\ndescription: d\n\n  tools: Read\n\nBody\n"],
    ["after a fence too many", "---\nname: x\ndescription: d\n---\ntools: Read\n---\nBody"],
    ["in a head whose first fence has four dashes", "----\nname: x\ndescription: d\ntools: Read\n----\nBody"],
    ["in a head in a code block", "```yaml\n---\nname: x\ntools: Read\n---\n```\nBody"],
    ["below other data", headed("metadata:\n  author: me\n  tools: Read")],
    ["no colon", headed("tools Read, Bash")],
    ["a sentence", headed("tools: everything except Bash, Write")],
    ["a tool taken back", headed('tools: ["*", "!Bash"]\ndisallowedTools: "*"')],
    ["null", headed("tools:\nRead\nGrep")],
  ] as const)("[F53] a line of tools is never lost: %s", ([, file]) => {
    const { has, changes } = adapted(file)
    expect(["read", "grep"]).toEqual(expect.arrayContaining(has))
    if (has.length === 0) expect(changes.join("\n")).toMatch(/gave it no tools: .*"\w+".*write tools|its tools are now none/)
  })

  test("[F53] of more than forty lines none is believed", () => {
    const lines = (count: number): string => headed(`note: 'a\n${"tools: Read\n".repeat(count)}`)
    expect([40, 41].map((count) => adapted(lines(count)).has)).toEqual([["read"], []])
  })

  test("[F53] what can be read is granted", () => {
    for (const file of [
      headed("tools:Read"),
      headed("tools：Read"),
      headed("tools:\u00a0Read"),
      headed("Tools: Read"),
      headed("  tools: Read"),
      "---\n{ name: x, description: d, tools: [Read] }\n---\n\nBody\n",
    ])
      expect(adapted(file).has).toEqual(["read"])
  })

  test.for([
    ["a word", headed("permission: deny"), []],
    ["ask", headed("permission: ask"), []],
    ["a word nobody knows", headed("permission: careful"), []],
    ["nothing, with its rules at the left", headed("permission:\nedit: deny\nbash: deny"), []],
    [
      "a map in a broken head",
      headed("note: 'a\npermission:\n  bash: deny\n  edit: deny"),
      [...KNOWN].filter((n) => n !== "bash" && n !== "edit"),
    ],
    ["a map that cannot be read", headed("note: 'a\npermission: { bash: deny"), []],
    ["a star after its exceptions", headed('permission: { read: allow, "*": deny }'), []],
    ["a star before them", headed('permission: { "*": deny, read: allow }'), ["read"]],
    ["lists", headed("permissions:\n  allow: [Read, Grep]\n  deny: [Grep]"), ["read"]],
    ["a wide colon", headed("permission：deny"), []],
    ["no space", headed("permission:deny"), []],
    [
      "plan mode in a broken head",
      headed("note: 'a\npermissionMode: plan # look"),
      [...KNOWN].filter((n) => n !== "write" && n !== "edit"),
    ],
    ["a mode nobody knows", headed("permissionMode: planning"), []],
    ["read-only in a broken head", headed("note: 'a\nreadonly: true"), [...KNOWN].filter((n) => n !== "write" && n !== "edit")],
    ["denied in a broken head", headed("note: 'a\ndisallowedTools:Bash, Write"), [...KNOWN].filter((n) => n !== "bash" && n !== "write")],
    ["denied without a colon", headed("disallowedTools Bash"), []],
    ["everything denied", headed('disallowedTools: "*"'), []],
    ["a pattern", headed('tools: { "web*": false }'), [...KNOWN].filter((n) => !n.startsWith("web"))],
    ["switches that say ask", headed("tools: { bash: ask, write: deny }"), [...KNOWN].filter((n) => n !== "bash" && n !== "write")],
    ["one tool of a server", headed("tools: mcp__github__*\ndisallowedTools: mcp__github__create_issue"), ["mcp:github:read_issue"]],
    ["a server", headed("tools: Read, mcp__github__create_issue\ndisallowedTools: mcp__github"), ["read"]],
  ] as const)("[F53] what is denied stays denied: %s", ([, file, has]) => {
    expect(adapted(file).has).toEqual(has)
  })

  test("[F53] what others may, and prose, is no line of tools", () => {
    expect(adapted(headed("mcp-servers:\n  x:\n    tools: [one]")).has).toEqual([...KNOWN])
    expect(adapted(headed("model: opus", "Tools: use what you like.")).has).toEqual([...KNOWN])
    expect(adapted(headed("description: >\n  Use it well.\n  Tools are nice,\n  tools too.")).has).toEqual([...KNOWN])
  })

  test("[F53] whatever is put between a name and its tools, the agent has no more than the tools", () => {
    const signs = ["", " ", "\t", ":", "：", "\u00a0", "\u3000", "'", '"', "{", "[", "- ", "|", ">", "*"]
    const [first, second, third] = [[], ["#", "\n"], ["\n", "&a ", "!x "]].map((more) => fc.constantFrom(...signs, ...more))
    fc.assert(
      fc.property(
        fc.array(first ?? fc.constant(""), { maxLength: 3 }),
        fc.array(second ?? fc.constant(""), { maxLength: 3 }),
        fc.array(third ?? fc.constant(""), { maxLength: 3 }),
        (before, between, after) => {
          const file = `---\nname: x\n${before.join("")}tools${between.join("")}:${after.join("")}Read, Grep\ndescription: d\n---\nBody\n`
          const { has } = adapted(file)
          return has.length <= 2 && has.every((name) => name === "read" || name === "grep")
        },
      ),
      { numRuns: amount(1_000, 350) },
    )
  })
})

describe("import: two files of one name", () => {
  const narrow = headed("tools: Read")
  const wide = headed("model: sonnet")

  async function stored(files: Readonly<Record<string, string>>) {
    const { catalog } = world()
    const sent = Object.entries(files).map(([path, text]) => ({ path, bytes: new TextEncoder().encode(text) }))
    const report = await importFiles(sent, ["read", "write", "grep"], catalog, true)
    expect(report.data.map((row) => row.path)).toEqual(Object.keys(files))
    return { text: (await catalog.read("agent", "x"))?.content ?? "", report }
  }

  test.for([
    [".opencode/agents/x.md", "agents/x.md"],
    [".opencode/agent/x.md", "categories/agents/x.md"],
    [".gemini/agents/x.md", ".pi/agents/x.md"],
    ["repo-main/.claude/agents/x.md", "repo-main/agents/x.md"],
    ["plugins/seo/.cursor/agents/x.md", "plugins/seo/agents/x.md"],
    ["docs/agents/x.md", ".claude/agents/x.md"],
    ["examples/agents/x.md", "agents/x.md"],
    [".agents/agents/x.md", ".claude/agents/x.md"],
  ])("[F53] [F73] a copy does not displace the repository's own agent: %s, %s", async ([copy, own]) => {
    for (const paths of [
      [copy, own],
      [own, copy],
    ]) {
      const { text, report } = await stored(Object.fromEntries(paths.map((path) => [path, path === own ? narrow : wide])))
      expect(text).toContain("tools: read\n")
      expect(report.data.find((row) => row.path === copy)).toMatchObject({
        status: "refused",
        diagnostics: [expect.objectContaining({ code: "IV-TWICE", message: `agents/x.md is already made from ${own}` })],
      })
    }
  })

  test("[F53] [F73] copies that fill an import leave the room to what is the repository's own", async () => {
    const fill = "# long\n".repeat(30_000)
    const copies = Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`.claude/agents/a${i}.md`, headed(`model: sonnet\n${fill}`)]))
    const { text } = await stored({ ...copies, ".claude/agents/x.md": wide, "agents/x.md": narrow })
    expect(text).toContain("tools: read\n")
  })
})

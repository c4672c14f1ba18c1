// Maps tool names of other programs to ours. A tool without a counterpart is left out and reported; a tool that was only
// partly granted (`Bash(git:*)`) is left out too, since Sluice cannot grant a part and must not grant the whole.

import { matchesGlob } from "../../core/tool/policy/tool-names.ts"

export type Match =
  | { readonly kind: "ours"; readonly names: readonly string[] }
  | { readonly kind: "all" }
  | { readonly kind: "none"; readonly why: string }

/** The program that named the tools: in files for VS Code and GitHub Copilot, `edit` also creates files. */
export type Dialect = "copilot" | "other"

/** Where a tool has several of our names, the first one that exists is it. */
const NAMES: readonly (readonly [ours: readonly string[], theirs: string])[] = [
  [["read"], "read readfile readmanyfiles viewfile view cat openfile notebookread getfile readfiles"],
  [["write"], "write writefile createfile create createnewfile savefile writetofile"],
  [
    ["edit"],
    `edit multiedit editfile editfiles editnotebook strreplace strreplaceeditor strreplacebasededittool replace replacestringinfile
    inserteditintofile applypatch patch applydiff notebookedit searchreplace`,
  ],
  [["grep"], "grep grepsearch searchfilecontent textsearch searchfiles ripgrep findtextinfiles"],
  [["find", "glob"], "find glob filesearch findfiles globsearch"],
  [["ls"], "ls list listdir listdirectory listfiles"],
  [["ask_user"], "askuser askuserquestion ask question askquestions askfollowupquestion"],
  [
    ["bash"],
    `bash shell sh zsh powershell terminal execute runinterminal runshellcommand runcommand runcommands runterminalcmd
    runterminalcommand terminalcommand exec executecommand`,
  ],
  [["web.fetch", "web_fetch"], "webfetch fetch fetchwebpage fetchurl urlcontext readurl openurl"],
  [["web.search", "web_search"], "websearch googlewebsearch searchweb internetsearch"],
]
/** Words that mean several of our tools. */
const SETS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    search: ["grep", "find"],
    codebase: ["grep", "find"],
    codebasesearch: ["grep", "find"],
    semanticsearch: ["grep", "find"],
    web: ["fetch", "websearch"],
    browse: ["fetch", "websearch"],
  }),
)
const COPILOT_SETS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({ edit: ["edit", "write"], search: ["grep", "find", "ls"] }),
)
/** VS Code writes `SET/TOOL` for a tool of its own. */
const VS_CODE_SET = /^(?:agent|edit|execute|new|read|runcommands|runtasks|search|todo|vscode|web)\//i

const OURS: ReadonlyMap<string, readonly string[]> = new Map(
  NAMES.flatMap(([ours, theirs]) => theirs.split(/\s+/).map((name) => [name, ours] as const)),
)

const NEVER: ReadonlyMap<string, string> = new Map([
  ...["task", "agent", "subagent", "runsubagent", "delegate", "sendmessage", "customagent", "newtask"].map(
    (name) => [name, "agents do not start other agents here: make it a step of a flow"] as const,
  ),
  ...["todowrite", "todoread", "todo", "todos", "taskcreate", "taskupdate", "tasklist", "taskget", "managetodolist", "updateplan"].map(
    (name) => [name, "there is no task list"] as const,
  ),
  ...["skill", "skills", "slashcommand", "activateskill"].map((name) => [name, "skills come with the agent's skills"] as const),
  ...[
    "exitplanmode",
    "enterplanmode",
    "killshell",
    "killbash",
    "bashoutput",
    "getterminaloutput",
    "terminallastcommand",
    "terminalselection",
  ].map((name) => [name, "it belongs to another program"] as const),
])

const ABSENT = "there is no such tool here"

/** `known`: the names of all available tools. */
export function matchTool(foreign: string, known: ReadonlySet<string>, dialect: Dialect = "other"): Match {
  const text = foreign.trim()
  if (text === "*" || /^(?:all|all[ _-]tools)$/i.test(text)) return { kind: "all" }
  const part = /^([^(]+)\((.*)\)$/.exec(text)
  const bare = bareName(part?.[1] ?? text)
  const never = NEVER.get(bare)
  if (never !== undefined) return { kind: "none", why: never }
  const isSet = dialect === "copilot" && COPILOT_SETS.has(bare)
  if (!isSet && known.has(text)) return { kind: "ours", names: [text] }
  const connected = ofServer(text, known)
  if (connected.length > 0) return { kind: "ours", names: connected }
  const names = oursOf(bare, dialect).flatMap((ours) => ours.find((name) => known.has(name)) ?? [])
  if (names.length === 0)
    return {
      kind: "none",
      why: /^mcp__|\//.test(text) && !OURS.has(bare) ? "it belongs to an MCP server that is not connected here" : ABSENT,
    }
  if (part !== null && part[2] !== "*") return { kind: "none", why: "it was granted only in part, and Sluice grants only whole tools" }
  return { kind: "ours", names }
}

const bareName = (text: string): string =>
  text
    .replace(VS_CODE_SET, "")
    .toLowerCase()
    .replace(/[\s_.-]/g, "")

/** Each member is one tool under the names that it may have here. */
function oursOf(bare: string, dialect: Dialect): readonly (readonly string[])[] {
  const words = (dialect === "copilot" ? COPILOT_SETS.get(bare) : undefined) ?? SETS.get(bare) ?? [bare]
  return words.flatMap((word) => {
    const ours = OURS.get(word)
    return ours === undefined ? [] : [ours]
  })
}

/** Tools of a connected MCP server: `mcp__SERVER__TOOL`, `SERVER/TOOL` and `SERVER/*` elsewhere, `mcp:SERVER:TOOL` here. */
function ofServer(text: string, known: ReadonlySet<string>): readonly string[] {
  const [server, tool] = text.startsWith("mcp__") ? split(text.slice("mcp__".length), "__") : split(text, "/")
  if (server === "" || server === text) return []
  if (tool !== "*" && tool !== "") return known.has(`mcp:${server}:${tool}`) ? [`mcp:${server}:${tool}`] : []
  const start = `mcp:${server}:`
  return [...known].some((name) => name.startsWith(start)) ? [`${start}*`] : []
}

/** At the first `by`; without one, all of it comes before. */
function split(text: string, by: string): readonly [before: string, after: string] {
  const at = text.indexOf(by)
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + by.length)]
}

/**
 * The names to deny for a tool that another program denied, even if the tool is not available yet. For a partly denied tool,
 * the whole tool is denied. None: no agent could ever get this tool here.
 */
export function denialsOf(foreign: string, known: ReadonlySet<string>): readonly string[] {
  const text = foreign.replace(/\(.*$/s, "").trim()
  const bare = bareName(text)
  if (known.has(text)) return [text]
  if (NEVER.has(bare)) return []
  const connected = ofServer(text, known)
  if (connected.length > 0) return connected
  const words = bare.includes("*") ? [...OURS.keys()].filter((word) => matchesGlob(bare, word)) : [bare]
  const ours = words.flatMap((word) => oursOf(word, "other")).flatMap((names) => names.find((name) => known.has(name)) ?? names[0] ?? [])
  // A pattern also matches tools that only we have, and tools that come later.
  if (bare.includes("*") && /^[\w.:*-]{1,100}$/.test(text)) return [...new Set([...ours, text])]
  if (ours.length > 0) return ours
  return /^[A-Za-z_][\w-]{0,99}$/.test(text) ? [text] : []
}

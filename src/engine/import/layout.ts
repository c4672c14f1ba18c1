// Classifies a file by its path, by the layouts of the programs that people come from: Claude Code and its plugins, VS Code and Copilot,
// opencode, Cursor, Windsurf, Cline, pi-flows. Folders may stand anywhere in the path, since archives begin with a folder of their own.

import type { Dialect } from "./foreign-tools.ts"

/** `agent`: in a folder of agents, or by its ending. `command`: instructions that become a skill. `loose`: anywhere else. */
export type Role = "agent" | "command" | "document" | "loose"

export interface Layout {
  readonly role: Role
  /** The file's name without its endings. */
  readonly stem: string
  readonly dialect: Dialect
  /** The file's ending alone says what it is. */
  readonly marked: boolean
}

const MARKED = /^(.+?)(?:\.(agent|subagent|chatmode|prompt|instructions))?\.(md|markdown|mdc)$/i
const FOLDERS: ReadonlyMap<string, Role> = new Map([
  ...["agent", "agents", "subagent", "subagents", "chatmode", "chatmodes", "mode", "modes"].map((name) => [name, "agent"] as const),
  ...["command", "commands", "prompt", "prompts", "workflows"].map((name) => [name, "command"] as const),
  ...["hooks", "docs", "doc", "references", "output-styles", "templates", "examples", "issue_template", "pull_request_template"].map(
    (name) => [name, "document"] as const,
  ),
])
export const isDocumentFolder = (folder: string): boolean => FOLDERS.get(folder.toLowerCase()) === "document"

/** Folders of a program's own rules. Elsewhere the word means anything. */
const RULES: ReadonlySet<string> = new Set(["rules", "instructions", ".clinerules", "steering"])
const OF_PROGRAMS =
  /^\.(?:agents?|aider|amazonq|augment|claude|clinerules|codex|continue|copilot|cursor|gemini|github|kiro|opencode|pi|qwen|roo|windsurf)$/i

/** A name that no agent has, in any of the languages that a README is translated to. */
const DOCUMENT =
  /^(?:readme|license|licence|changelog|contributing|contributors|code[_-]of[_-]conduct|copying|notice|third[_-]party[_-]notices|authors|maintainers|governance|pull_request_template)(?:[._-](?:[a-z]{2,3}(?:[_-][a-z]{2,4})?|mit|apache|apache-2\.0|bsd))?$/i
/** Files that programs read at the root of a project; with a head of an agent they are one. */
const OFTEN_DOCUMENT =
  /^(?:claude|agents|gemini|copilot-instructions|security|support|index|template|roadmap|todo|faq|install|installation|architecture|history|_.*)$/i

export const isDocument = (stem: string): boolean => DOCUMENT.test(stem)
export const isOftenDocument = (stem: string): boolean => OFTEN_DOCUMENT.test(stem)

/** The role of a file by its path; undefined: it is not Markdown. */
export function layoutOf(path: string): Layout | undefined {
  const folders = path.split("/")
  const file = folders.pop() ?? ""
  const [, stem, kind, ending] = MARKED.exec(file) ?? []
  if (stem === undefined || ending === undefined) return undefined
  const isOfProgram = folders.some((folder) => OF_PROGRAMS.test(folder))
  const ends = kind?.toLowerCase()
  const dialect: Dialect =
    (ends !== undefined && ends !== "subagent") || folders.some((folder) => /^\.(?:github|copilot)$/i.test(folder)) ? "copilot" : "other"
  const at = { stem, dialect }
  if (ends === "prompt" || ends === "instructions") return { ...at, role: "command", marked: true }
  if (ends !== undefined) return { ...at, role: "agent", marked: true }
  for (const folder of folders.reverse()) {
    const name = folder.toLowerCase()
    const role = FOLDERS.get(name)
    if (role !== undefined) return { ...at, role, marked: false }
    if (RULES.has(name)) return { ...at, role: isOfProgram || ending === "mdc" ? "command" : "document", marked: false }
  }
  return { ...at, role: ending === "mdc" ? "command" : "loose", marked: false }
}

/** Files that programs keep beside agents and skills, and why none of them comes. */
const KNOWN: readonly (readonly [RegExp, string])[] = [
  [/(?:^|\/)\.?mcp\.json$/i, "names MCP servers: connect each of them by its address"],
  [/(?:^|\/)settings(?:\.local)?\.json$/i, "configures a program on a machine: its hooks run commands there, and there is none here"],
  [/(?:^|\/)hooks\/.*\.(?:json|sh|py|js|ts)$/i, "runs commands of a machine, and there is none here"],
  [/(?:^|\/)(?:\.?credentials(?:\.json)?|\.env(?:\..+)?)$/i, "holds secrets, which belong in the vault"],
]

export const knownReason = (path: string): string | undefined => KNOWN.find(([pattern]) => pattern.test(path))?.[1]

/** The folder that distinguishes this file from one of the same name elsewhere: its plugin, or its category. */
export function ownerOf(path: string): string | undefined {
  const folders = path.split("/").slice(0, -1)
  return folders.reverse().find((folder) => !GENERIC.test(folder) && !FOLDERS.has(folder.toLowerCase()))
}

const GENERIC = /^(?:\..*|src|lib|skills?|plugins?|packages?|categories|main|master|claude|flows|rules|instructions)$/i

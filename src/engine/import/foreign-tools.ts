// Maps tool names of other programs to ours. A tool without a counterpart is left out and reported; a tool that was only
// partly granted (`Bash(git:*)`) is left out too, since Sluice cannot grant a part and must not grant the whole.

export type Match =
  | { readonly kind: "ours"; readonly name: string }
  | { readonly kind: "all" }
  | { readonly kind: "none"; readonly why: string }

const NAMES: Readonly<Record<string, readonly string[]>> = {
  read: ["read", "readfile", "readmanyfiles", "viewfile", "view", "cat", "openfile", "notebookread", "getfile"],
  write: ["write", "writefile", "createfile", "create", "savefile", "writetofile"],
  edit: [
    "edit",
    "multiedit",
    "editfile",
    "editfiles",
    "strreplace",
    "strreplaceeditor",
    "replace",
    "applypatch",
    "patch",
    "applydiff",
    "notebookedit",
  ],
  grep: ["grep", "grepsearch", "search", "searchfilecontent", "textsearch", "codebase", "searchfiles", "codebasesearch", "ripgrep"],
  find: ["find", "glob", "filesearch", "findfiles", "globsearch"],
  ls: ["ls", "list", "listdir", "listdirectory", "listfiles"],
  ask_user: ["askuser", "askuserquestion", "ask", "question", "askquestions"],
  bash: [
    "bash",
    "shell",
    "sh",
    "terminal",
    "execute",
    "runinterminal",
    "runshellcommand",
    "runcommand",
    "runcommands",
    "exec",
    "executecommand",
  ],
  web_fetch: ["webfetch", "fetch", "fetchwebpage", "fetchurl", "web", "urlcontext", "readurl"],
  web_search: ["websearch", "googlewebsearch", "searchweb", "internetsearch"],
}
const OURS: ReadonlyMap<string, string> = new Map(
  Object.entries(NAMES).flatMap(([ours, theirs]) => theirs.map((name) => [name, ours] as const)),
)

const NEVER: ReadonlyMap<string, string> = new Map([
  ...["task", "agent", "subagent", "runsubagent", "delegate", "sendmessage"].map(
    (name) => [name, "agents do not start other agents here: make it a step of a flow"] as const,
  ),
  ...["todowrite", "todoread", "todo", "todos", "taskcreate", "taskupdate", "tasklist"].map(
    (name) => [name, "there is no task list"] as const,
  ),
  ...["skill", "skills", "slashcommand", "activateskill"].map((name) => [name, "skills come with the agent's skills"] as const),
  ...["exitplanmode", "enterplanmode", "killshell", "killbash", "bashoutput"].map(
    (name) => [name, "it belongs to another program"] as const,
  ),
])

/** `known`: the names of all available tools. */
export function matchTool(foreign: string, known: ReadonlySet<string>): Match {
  const text = foreign.trim()
  if (text === "*" || /^(?:all|all[ _-]tools)$/i.test(text)) return { kind: "all" }
  const part = /^([^(]+)\((.*)\)$/.exec(text)
  const bare = (part?.[1] ?? text).toLowerCase().replace(/[\s_.-]/g, "")
  const never = NEVER.get(bare)
  if (never !== undefined) return { kind: "none", why: never }
  if (known.has(text)) return { kind: "ours", name: text }
  const ours = OURS.get(bare)
  if (ours === undefined)
    return {
      kind: "none",
      why: /^mcp__|\//.test(text) ? "it belongs to an MCP server that is not connected here" : "there is no such tool here",
    }
  if (!known.has(ours)) return { kind: "none", why: "there is no such tool here" }
  if (part !== null && part[2] !== "*") return { kind: "none", why: "it was granted only in part, and Sluice grants only whole tools" }
  return { kind: "ours", name: ours }
}

/**
 * The name to deny for a tool that another program denied, even if the tool is not available yet. For a partly denied tool,
 * the whole tool is denied. Undefined: no agent could ever get this tool here.
 */
export function denialOf(foreign: string, known: ReadonlySet<string>): string | undefined {
  const text = foreign.replace(/\(.*$/s, "").trim()
  const bare = text.toLowerCase().replace(/[\s_.-]/g, "")
  if (known.has(text) || NEVER.has(bare)) return known.has(text) ? text : undefined
  return OURS.get(bare) ?? (/^[A-Za-z_][\w-]{0,99}$/.test(text) ? text : undefined)
}

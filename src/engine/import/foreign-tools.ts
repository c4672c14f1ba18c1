// What the tools of other houses are called here. A tool without a counterpart is left out and said so; a tool that was only
// granted in part (`Bash(git:*)`) is left out too, for the part cannot be kept and the whole was not meant.

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
    (name) => [name, "agents do not start agents here: make it a step of a flow"] as const,
  ),
  ...["todowrite", "todoread", "todo", "todos", "taskcreate", "taskupdate", "tasklist"].map(
    (name) => [name, "there is no list of tasks to keep"] as const,
  ),
  ...["skill", "skills", "slashcommand", "activateskill"].map((name) => [name, "skills come with the agent's skills"] as const),
  ...["exitplanmode", "enterplanmode", "killshell", "killbash", "bashoutput"].map(
    (name) => [name, "it belongs to another program"] as const,
  ),
])

/** `known`: every tool that is there, by its name. */
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
      why: /^mcp__|\//.test(text) ? "it is the tool of an MCP server that is not connected here" : "there is no such tool here",
    }
  if (!known.has(ours)) return { kind: "none", why: `there is no tool like it here` }
  if (part !== null && part[2] !== "*") return { kind: "none", why: "it was granted only in part, and parts cannot be kept" }
  return { kind: "ours", name: ours }
}

/**
 * What to deny for a tool that another house denied: our name for it, there or not, for it may come later. Of a part that was
 * denied the whole is. Undefined: it is nothing that an agent could ever get here.
 */
export function denialOf(foreign: string, known: ReadonlySet<string>): string | undefined {
  const text = foreign.replace(/\(.*$/s, "").trim()
  const bare = text.toLowerCase().replace(/[\s_.-]/g, "")
  if (known.has(text) || NEVER.has(bare)) return known.has(text) ? text : undefined
  return OURS.get(bare) ?? (/^[A-Za-z_][\w-]{0,99}$/.test(text) ? text : undefined)
}

// Detects interpreters and programs that a skill's scripts need and the Worker's shell lacks [F60]. With a sandbox, they run there. Judged
// by file endings, and by the first words of command lines in SKILL.md and in shell scripts.

const BY_ENDING: ReadonlyMap<string, string> = new Map(
  Object.entries({
    py: "python3",
    js: "node",
    mjs: "node",
    cjs: "node",
    ts: "node",
    rb: "ruby",
    pl: "perl",
    php: "php",
    ps1: "powershell",
    r: "R",
  }),
)
const PROGRAMS: ReadonlySet<string> = new Set(
  `apt apt-get aws brew bun bunx cargo convert curl deno docker ffmpeg ffprobe gcloud gh git go gradle java javac kubectl libreoffice magick
  make mvn node npm npx pandoc pdftoppm pdftotext perl php pip pip3 pnpm poetry psql python python3 qpdf ruby rustc soffice ssh terraform
  tesseract tsx uv uvx wget yarn`.split(/\s+/),
)

export interface Need {
  readonly program: string
  /** The line of the text, from 0. */
  readonly line: number
}

/** The program that a file of the skill needs. Only scripts need one: the modules that they load are in the skill. */
export function needOf(file: string, text: string): string | undefined {
  const ending = /\.([a-z0-9]+)$/i.exec(file)?.[1]?.toLowerCase() ?? ""
  const said = /^#!.*?\/(?:env\s+(?:-\S+\s+)?)?([\w.-]+)[ \t]*(?:\r?\n|$)/.exec(text.slice(0, 200))?.[1]
  if (said !== undefined && !/^(?:ba|da|z|k)?sh$/.test(said)) return said
  if (BY_ENDING.has(ending) && /(?:^|\/)scripts?\//i.test(file)) return BY_ENDING.get(ending)
  return ending === "sh" || ending === "bash" || said !== undefined ? commandsIn(text.split("\n"))[0]?.program : undefined
}

/** The programs that SKILL.md calls in its blocks of commands, each where it is first called. */
export function needsIn(body: string): readonly Need[] {
  const lines = body.split("\n")
  let fence: string | undefined
  let isShell = false
  const commands = lines.map((line) => {
    const mark = /^\s{0,10}(`{3,}|~{3,})\s*([\w-]*)/.exec(line)
    if (mark === null) return fence !== undefined && isShell ? line : ""
    if (fence === undefined) {
      fence = mark[1]
      isShell = /^(?:|bash|sh|shell|console|zsh|terminal)$/i.test(mark[2] ?? "")
    } else if (mark[1]?.startsWith(fence) === true) fence = undefined
    return ""
  })
  return commandsIn(commands)
}

function commandsIn(lines: readonly string[]): readonly Need[] {
  const found = new Map<string, Need>()
  for (const [line, text] of lines.entries()) {
    const program = /^\s{0,40}(?:\$ )?(?:sudo )?([a-z][\w-]{0,20})(?=\s|$)/.exec(text)?.[1]
    if (program !== undefined && PROGRAMS.has(program) && !found.has(program)) found.set(program, { program, line })
  }
  return [...found.values()]
}

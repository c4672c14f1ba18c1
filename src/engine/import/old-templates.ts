// Converts templates of older agents and other programs to ours: `{task}`, `{input.x}`, `{{x}}`, `<step.summary>` [F43]. Examples stay
// unchanged: fenced code, and double braces in backticks, which mostly belong to Vue, Jinja or Helm.

import { RESULT_FIELDS } from "../../core/flow/template.ts"

export interface Modernized {
  readonly text: string
  /** `{task}` as it stood; each once. */
  readonly rewritten: readonly string[]
  /** The inputs that rewritten forms name. */
  readonly inputs: readonly string[]
}

/** `$\{task}` counts too; a second brace makes another form. */
const SINGLE = /\$?(?<!\{)\{(task|(?:result|input|loop|fork|config|flow\.input)\.[A-Za-z0-9_.-]{1,200})\}(?!\})/g
const ANGLES = /<([A-Za-z0-9][A-Za-z0-9_-]{0,200})\.([A-Za-z][A-Za-z0-9_]{0,100})>/g
/** `{{x}}`, unless it is `${{x}}`; more than a name is another program's expression. */
const DOUBLE = /(?<![${])\{\{[ \t]{0,3}([A-Za-z][A-Za-z0-9_-]{0,60}(?:\.[A-Za-z0-9_-]{1,60}){0,3})[ \t]{0,3}\}\}(?!\})/g
/** Roots of ours, which keep their meaning between double braces. */
const ROOTED = /^(?:task|(?:input|flow\.input|result|loop|fork|config)\..+)$/

export function modernized(body: string): Modernized {
  const rewritten = new Set<string>()
  const inputs = new Set<string>()
  const put = (raw: string, expression: string): string => {
    rewritten.add(raw)
    const input = /^input\.([A-Za-z0-9_-]+)$/.exec(expression)?.[1]
    if (input !== undefined) inputs.add(input)
    return `\${{${expression}}}`
  }
  const text = piecesOf(body)
    .map((piece) => {
      if (piece.kind === "fenced") return piece.text
      const said = piece.text
        .replace(SINGLE, (raw, expression: string) => put(raw, expression))
        .replace(ANGLES, (raw, step: string, field: string) =>
          RESULT_FIELDS.includes(field) && !NOT_STEPS.has(step.toLowerCase()) ? put(raw, `result.${step}.${field}`) : raw,
        )
      if (piece.kind === "code") return said
      return said.replace(DOUBLE, (raw, name: string) => {
        if (ROOTED.test(name)) return put(raw, name)
        return name.includes(".") ? raw : put(raw, `input.${name}`)
      })
    })
    .join("")
  return { text, rewritten: [...rewritten], inputs: [...inputs] }
}

/** Elements and objects in prose about code. */
const NOT_STEPS: ReadonlySet<string> = new Set(["this", "self", "props", "details", "object", "response", "request", "item"])

interface Piece {
  readonly kind: "prose" | "code" | "fenced"
  readonly text: string
}

/** Whole blocks between fences, and lines outside them split at their backticks. */
function piecesOf(body: string): readonly Piece[] {
  const pieces: Piece[] = []
  let fence: string | undefined
  for (const line of body.split(/(?<=\n)/)) {
    const mark = /^\s{0,10}(`{3,}|~{3,})/.exec(line)?.[1]
    if (fence !== undefined) {
      pieces.push({ kind: "fenced", text: line })
      if (mark?.startsWith(fence) === true) fence = undefined
    } else if (mark !== undefined) {
      fence = mark
      pieces.push({ kind: "fenced", text: line })
    } else for (const [i, part] of line.split(/(`+)/).entries()) pieces.push({ kind: i % 4 === 2 ? "code" : "prose", text: part })
  }
  return pieces
}

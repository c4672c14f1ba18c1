// Says what decides a score, and writes the first text of a scorer's file.

export type ScorerKind = "expect" | "code" | "judge" | "built-in"

export const KIND_WORDS: Readonly<Record<ScorerKind, string>> = {
  expect: "expectation",
  code: "code",
  judge: "judge",
  "built-in": "built in",
}

export interface NewScorerText {
  readonly name: string
  readonly description: string
  readonly kind: "judge" | "expect"
  readonly rubric: string
}

/** As JSON, a text is YAML in one line, whatever it contains. */
export function scorerText({ name, description, kind, rubric }: NewScorerText): string {
  const head = [`name: ${name}`, `description: ${JSON.stringify(description)}`]
  const rest =
    kind === "judge"
      ? [
          "judge:",
          `  rubric: ${JSON.stringify(rubric)}`,
          "  levels: { 0: wrong or made up, 0.5: right but incomplete, 1: right and complete }",
        ]
      : ["expect:", "  status: succeeded"]
  return `${[...head, ...rest].join("\n")}\n`
}

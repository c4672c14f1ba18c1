// Simple commands in a shell line, for `access.bash.deny` [G7]. (Room W: yours; this is a placeholder so that the guard compiles.)
import { matchesGlob } from "./policy/tool-names.ts"

export function deniedCommand(globs: readonly string[], command: string): string | undefined {
  return command
    .split(/[|;&\n()`]+/)
    .map((c) => c.trim())
    .find((c) => globs.some((g) => matchesGlob(g, c)))
}

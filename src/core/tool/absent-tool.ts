// Writes the refusal of a tool that does not exist [T25]: one sentence for the API, MCP clients, models and diagnostics.

/** `reason`: why this instance lacks a tool that Sluice has. `near`: a similar name. */
export function absentTool(
  name: string,
  { reason, near }: { readonly reason?: string | undefined; readonly near?: string | undefined } = {},
): string {
  if (reason !== undefined) return `The tool ${name.slice(0, 128)} is not available here: ${reason}.`
  const hint = near === undefined || near === name ? "." : `; did you mean "${near}"?`
  return `There is no tool "${name.slice(0, 128)}" here${hint}`
}

/** Of a name that nothing here has, while files of tools have errors of their own and may make it: the fault is theirs. */
export function unmadeTool(
  name: string,
  files: readonly string[] | undefined,
): { readonly message: string; readonly suggestion: string } | undefined {
  const [first, ...more] = files ?? []
  if (first === undefined) return undefined
  const others = more.length === 0 ? " has" : `${more.length === 1 ? ` and ${more[0]}` : ` and ${more.length} more files`} have`
  return { message: `the tool "${name.slice(0, 128)}" is not here while ${first}${others} errors`, suggestion: `fix ${first}` }
}

/** What helps where no name is near. */
export const TOOL_SOURCES = "tools/NAME.yaml, or defineTool in src/index.ts; one from elsewhere is named under `tools` in sluice.yaml"

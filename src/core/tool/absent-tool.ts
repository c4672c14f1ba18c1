// One sentence for a tool that cannot be called because it is not there [T25]: over the API, for MCP clients, for a model, in diagnostics.

/** `reason`: why this instance lacks a tool that Sluice has; `near`: a name that may be meant. */
export function absentTool(
  name: string,
  { reason, near }: { readonly reason?: string | undefined; readonly near?: string | undefined } = {},
): string {
  if (reason !== undefined) return `The tool ${name.slice(0, 128)} is not available here: ${reason}.`
  const hint = near === undefined || near === name ? "." : `; did you mean "${near}"?`
  return `There is no tool "${name.slice(0, 128)}" here${hint}`
}

// Reserves names that registered tools cannot use [T26]: the names of built-ins, present or not, and names with a meaning in sessions or
// rules. The comparison ignores case, so that no name looks like another.

export const TOOL_NAME = /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/

/** Which built-ins are present depends on bindings and keys, so their whole families are reserved. */
const FAMILIES =
  /^(file|web|memory|r2|minio|k8s|media|image|audio|system|sessions|browser|process|shell|skill|plan|plans|ref|mcp|group)[.:]/
const SINGLE: ReadonlySet<string> = new Set([
  ..."read write edit grep find ls glob bash".split(" "),
  ..."finish flow_results subagent_finalize ask_user skill_read subagent read_output tool_search agent_catalog agent_write flow_write import".split(
    " ",
  ),
  ..."resolveref glimpseref storeplan getplan executeplan call_agent list_agents".split(" "),
  ..."search_catalog get_catalog_entities list_schema_fields get_catalog_relations get_relation_paths_between".split(" "),
  ..."sample_table_data execute_query".split(" "),
])

export function isTaken(name: string, builtins: Iterable<string>): boolean {
  const lower = name.toLowerCase()
  return SINGLE.has(lower) || FAMILIES.test(lower) || [...builtins].some((builtin) => builtin.toLowerCase() === lower)
}

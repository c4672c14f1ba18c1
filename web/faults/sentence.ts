// A sentence of its own: it begins with a capital and ends with a stop. What begins with a name in quotes, or with a sign, stays as it is.

export function sentence(text: string): string {
  const said = text.trim()
  if (said === "") return ""
  const first = /^[a-z]+\b/.test(said) && !/^[a-z]+[._:/*]/.test(said) ? said[0]?.toUpperCase() + said.slice(1) : said
  return /[.!?…:)\]}]$/.test(first) || first.includes("\n") ? first : `${first}.`
}

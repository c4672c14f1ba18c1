// Puts text from outside between delimiters that it cannot guess [G11]: each text has a new id, and what looks like a delimiter inside is
// made harmless. The delimiters show a model what is data; the guard decides what an agent may do, whatever the text says.

/** What looks like a delimiter. */
export const LOOKALIKE = /<(?=\s*\/?\s*untrusted)/gi

/** `id`: hex, at least 8 digits, never used before. */
export const enclosed = (text: string, id: string, source: string): string =>
  `<untrusted id="${id}" source="${attribute(source)}">\n${text.replace(LOOKALIKE, "&lt;")}\n</untrusted id="${id}">`

const attribute = (text: string): string =>
  text
    .slice(0, 500)
    .replaceAll("&", "&amp;")
    .replaceAll('"', "&quot;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    // A line break would end the delimiter's line.
    .replace(/\p{Cc}/gu, " ")

// Says what a diagnostic says, as an editor shows it: sentences begin with a capital and end with a stop, and what is to be written stands as it is
// written.

import { sentence } from "../faults/sentence.ts"

/** `say`: a sentence. `write`: lines of the file. */
export type Advice = { readonly say: string } | { readonly write: string }

export const adviceOf = (suggestion: string): Advice =>
  isWritten(suggestion) ? { write: suggestion } : { say: sentence(suggestion.replaceAll(/(^|\? )known:/g, "$1Known:")) }

/** Begins like a line of a file: a key, an item, a template, a name. A list of what is known is told, not written. */
const isWritten = (words: string): boolean =>
  /^(?:- )?(?!known:|reserved:)[A-Za-z_]\w*:(?: |\n|$)/.test(words) ||
  /^(?:\$|---|\{|@|args\.)/.test(words) ||
  /^[A-Za-z]\w*[_-][\w-]*$/.test(words)

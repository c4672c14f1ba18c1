// The grammar of a text. Each loads with the first text of its kind.

import { defineLanguageFacet, Language, LanguageSupport } from "@codemirror/language"
import type { Extension } from "@codemirror/state"
import type { CodeLanguage } from "./code-props.ts"

export async function grammarOf(language: CodeLanguage): Promise<Extension> {
  switch (language) {
    case "yaml":
      return (await import("@codemirror/lang-yaml")).yaml()
    case "json":
      return (await import("@codemirror/lang-json")).json()
    case "markdown": {
      // An agent's file begins with its settings.
      const { yamlFrontmatter } = await import("@codemirror/lang-yaml")
      // The grammar alone: the package that wraps it brings editors of HTML, CSS and JavaScript with it, 60 KB that no agent's file needs.
      const { parser } = await import("@lezer/markdown")
      const language = new Language(defineLanguageFacet(), parser, [], "markdown")
      return yamlFrontmatter({ content: new LanguageSupport(language) })
    }
    case "text":
      return []
  }
}

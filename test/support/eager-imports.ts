// Tests in workerd load the modules that a bundle has at hand. Vitest fetches a module whenever it is imported, and two objects that import one at
// the same time share a promise, which workerd refuses: "Cannot perform I/O on behalf of a different Durable Object". A bundle fetches nothing.

const LAZY = /(?<before>=> |await |\()import\("(?<path>\.{1,2}\/[^"]+\.ts)"\)/g

/** A plugin of Vite that turns each `import("./x.ts")` of src into an import at the top of its file. */
export const eagerImports = () => ({
  name: "eager-imports",
  enforce: "pre" as const,
  transform(code: string, id: string): { readonly code: string; readonly map: null } | undefined {
    if (!id.includes("/src/")) return undefined
    const paths: string[] = []
    const eager = code.replaceAll(LAZY, (_, before: string, path: string) => `${before}Promise.resolve(eager${paths.push(path)})`)
    // On the file's last line, so that every other line keeps its number.
    return paths.length === 0
      ? undefined
      : { code: `${eager}\n${paths.map((path, at) => `import * as eager${at + 1} from "${path}"`).join(";")}`, map: null }
  },
})

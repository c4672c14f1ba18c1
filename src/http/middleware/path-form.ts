// Compiles a declared path to a pattern: `:name` is one part, `:name{.+}` may contain slashes, and `:name{[^/]+:cancel}` is that pattern
// itself.

export const pathForm = (path: string): RegExp =>
  new RegExp(`^${path.replace(/:\w+(?:\{([^}]*)\})?|\./g, (found, own?: string) => (found === "." ? "\\." : (own ?? "[^/]+")))}$`)

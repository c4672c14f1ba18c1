// What a declared path matches: `:name` is one part, `:name{.+}` may contain slashes, and `:name{[^/]+:cancel}` is what it says.

export const pathForm = (path: string): RegExp =>
  new RegExp(`^${path.replace(/:\w+(?:\{([^}]*)\})?|\./g, (found, own?: string) => (found === "." ? "\\." : (own ?? "[^/]+")))}$`)

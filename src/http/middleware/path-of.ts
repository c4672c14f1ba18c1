// Returns the path of a request for all checks and the router [H10]: undecoded, so that only the router decodes parameters and `%2F` is
// never a slash before that; and without a trailing slash, which some clients add. The slash stays where a name may follow it: it then
// means an empty name [H2], or is a part of a file's name.

/** `named`: the patterns of paths that end with a name. */
export const pathOf =
  (named: readonly RegExp[]): ((request: Request) => string) =>
  (request) => {
    const path = URL.parse(request.url)?.pathname ?? "/"
    return /[^/]\/$/.test(path) && !named.some((form) => form.test(`${path}x`)) ? path.slice(0, -1) : path
  }

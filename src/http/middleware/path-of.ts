// The path of a request as every check and the router see it [H10]: as it was sent, so that a parameter is decoded once, by the router, and `%2F` is
// never a slash before that; and without a slash at its end, which some clients add. Where a name may follow that slash, it says that the name is
// empty [H2], or is a part of the name of a file: then it stays.

/** `named`: the forms of paths that end with a name. */
export const pathOf =
  (named: readonly RegExp[]): ((request: Request) => string) =>
  (request) => {
    const path = URL.parse(request.url)?.pathname ?? "/"
    return /[^/]\/$/.test(path) && !named.some((form) => form.test(`${path}x`)) ? path.slice(0, -1) : path
  }

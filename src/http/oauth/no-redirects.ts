/**
 * The library fetches metadata documents and key sets with the global fetch, which follows redirects: whoever publishes a document
 * could send us on to an address that `mayFetch` refuses. It takes no fetch of ours, so the global one is replaced: a GET that
 * says nothing of redirects follows none. (Client ID metadata documents: the server does not follow them.)
 */
export function followNoRedirects(scope: { fetch: typeof fetch }): void {
  const plain = scope.fetch;
  scope.fetch = (input, init) => plain.call(scope, input, typeof input === "string" && init?.method === undefined ? { redirect: "manual", ...init } : init);
}
